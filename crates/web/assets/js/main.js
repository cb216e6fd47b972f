// The interactive parts of the pages. The server renders everything; the modules write through the JSON API and refresh
// the page after a change.

import './drag.js';
import { tellSent } from './forms.js';
import { addCode, addLink, addProperty, edit, leave, pickField, removeComment, removeItem, restore, tick, unlink } from './item.js';
import { addFilter } from './filter.js';
import { attach, detach } from './attachments.js';
import { changeTheme } from './theme.js';
import { clearSelection, select, selectedNumbers } from './select.js';
import { closeSheet, itemRoot, openFromAddress, openSheet, step } from './sheet.js';
import { did, failed } from './toast.js';
import { copy, find, icon, isMac, mayWrite } from './dom.js';
import { display, fold, lists, moveTo } from './board.js';
import { format, preview } from './editor.js';
import { include } from './refresh.js';
import { newItem, showKeys, showSteps } from './dialogs.js';
import { openNewCard } from './keys.js';
import { openPalette } from './palette.js';
import { optionsOf } from './choices.js';
import { pick } from './picker.js';
import { remove, removeAll, setField, toggleClosed } from './actions.js';
import { removeView, renameView, saveView, updateView } from './views.js';
import { setColor, undeclare } from './labels.js';
import { start } from './live.js';

document.documentElement.classList.add('scripted', isMac ? 'mac' : 'pc');

/** Returns the numbers that a button on a card or in the bulk bar acts on. */
function subjects(button) {
  const card = button.closest('.card');
  const selected = selectedNumbers();
  const number = card && Number(card.dataset.number);
  return card && !selected.includes(number) ? [number] : selected;
}

const pickFor = (field) => (button) => pickField(subjects(button), field, button);

const ACTS = {
  new: ({ dataset: { kind, status } }) => newItem({ kind, status }),
  'new-board': () => newItem({ kind: 'board' }),
  'new-card': (button) => (button.closest('.column') ? openNewCard(button.closest('.column')) : newItem({ status: button.dataset.status })),
  theme: changeTheme,
  keys: showKeys,
  filter: addFilter,
  display,
  'save-view': saveView,
  'update-view': updateView,
  'rename-view': renameView,
  'remove-view': removeView,
  tree: (button) => {
    const list = button.nextElementSibling;
    list.hidden = !list.hidden;
    button.ariaExpanded = !list.hidden;
    if (list.dataset.included !== 'no') return null;
    delete list.dataset.included;
    return include();
  },
  fold: ({ dataset: { status } }) => fold(status, true),
  unfold: ({ dataset: { status } }) => fold(status, false),
  select: (button, event) => select(button.closest('.card'), event.shiftKey),
  'clear-selection': clearSelection,
  status: pickFor('status'),
  assignee: pickFor('assignee'),
  priority: pickFor('priority'),
  label: pickFor('labels'),
  milestone: pickFor('milestone'),
  move: (button) => moveMenu(button),
  more: (button) => moreMenu(button),
  'more-selected': (button) => moreOfSelected(button),
  pick: (button) => pickField([itemRoot().dataset.id], button.dataset.field, button, button.dataset.value),
  'add-property': addProperty,
  'add-link': addLink,
  'add-code': addCode,
  'add-sub-item': () => {
    const form = find('#sub-item-form', itemRoot());
    form.hidden = false;
    find('input', form).focus();
  },
  unlink: ({ dataset }) => unlink(dataset),
  edit: ({ dataset: { target } }) => edit(target),
  cancel: (button) => leave(button.form),
  preview,
  attach,
  detach,
  'label-color': setColor,
  undeclare,
  delete: removeItem,
  'delete-comment': removeComment,
  restore,
  'close-sheet': closeSheet,
  'previous-item': () => step(-1),
  'next-item': () => step(1),
  steps: ({ dataset: { target } }) => showSteps(target),
  'close-steps': (button) => button.closest('dialog').close(),
  copy: async (button) => {
    await copy(button.dataset.text, button.parentNode);
    button.replaceChildren(icon('check'));
    did('Command copied', null, 'copy');
  },
  'copy-link': async (button) => {
    await copy(new URL(`/item/${itemRoot().dataset.number}`, location.href).href, button.parentNode);
    did('Link copied', null, 'copy');
  },
};

/** Moves a card to a status, as an alternative to dragging. */
function moveMenu(button) {
  const card = button.closest('.card');
  const options = optionsOf('status');
  pick({ anchor: button, title: `Move #${card.dataset.number} to`, options, chosen: [card.dataset.status], pick: ({ value, text }) => {
    const list = lists().find((other) => other.dataset.status === value && other.dataset.lane === card.parentNode.dataset.lane);
    if (list?.matches('.cards')) moveTo([card], list, list.firstElementChild);
    else setField([Number(card.dataset.number)], 'status', value, text);
  } });
}

const menu = (entries) => entries.map(([value, text, glyph]) => ({ value, text, glyph: () => icon(glyph, 'i s') }));

function moreMenu(button) {
  const card = button.closest('.card');
  const number = Number(card.dataset.number);
  const title = find('.card-title', card).textContent;
  const options = menu([
    ['priority', 'Priority', 'p-high'], ['parent', 'Parent', 'k-epic'], ['milestone', 'Milestone', 'k-milestone'], ['due', 'Due date', 'due'],
    ['open', 'Open', 'arrow-r'], ['page', 'Open as a page', 'expand'], ['delete', 'Delete', 'trash'],
  ]);
  pick({ anchor: button, title: `#${number}`, options, pick: ({ value }) => {
    if (value === 'open') openSheet(number);
    else if (value === 'page') location.assign(`/item/${number}`);
    else if (value === 'delete') remove(number, `#${number} ${title}`);
    else pickField([number], value, button);
  } });
}

function moreOfSelected(button) {
  const numbers = selectedNumbers();
  const options = menu([
    ['parent', 'Parent', 'k-epic'], ['board', 'Board', 'board'], ['size', 'Size', 'size'], ['due', 'Due date', 'due'],
    ['close', 'Close or reopen', 'check'], ['delete', 'Delete', 'trash'],
  ]);
  pick({ anchor: button, title: `${numbers.length} selected`, options, pick: ({ value }) => {
    if (value === 'close') toggleClosed(numbers);
    else if (value === 'delete') removeAll(numbers);
    else pickField(numbers, value, button);
  } });
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-act]');
  if (button) {
    event.preventDefault();
    Promise.resolve(ACTS[button.dataset.act]?.(button, event)).catch(failed);
    return;
  }
  const tool = event.target.closest('[data-format]');
  if (tool) Promise.resolve(format(tool.closest('form'), tool.dataset.format, tool)).catch(failed);
  const box = event.target.closest('[data-task]');
  if (box) tick(box);
  // A click on a text edits it, unless it selects or follows a link.
  const text = event.target.closest('.may-edit [data-edit]');
  if (text && mayWrite && !box && !event.target.closest('a, button, summary') && getSelection().isCollapsed) edit(text.dataset.edit);
  // A menu closes when something else is clicked.
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
});

// The search field is the palette's.
find('.find input')?.addEventListener('pointerdown', (event) => {
  if (event.pointerType === 'touch') return;
  event.preventDefault();
  openPalette();
});

// The line of time begins in the past; today lies in view.
const line = find('.timeline');
const today = line && find('.today', line);
if (today) line.scrollLeft = today.x1.baseVal.value - line.clientWidth / 3;

include();
openFromAddress();
start();
tellSent();
