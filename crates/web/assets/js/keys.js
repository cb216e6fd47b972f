// Keys that work everywhere, and those of the focused card or the selection.

import { aside, along, focusOn, rerank } from './board.js';
import { closePalette, isPaletteOpen, openPalette } from './palette.js';
import { FIELD_KEYS } from './choices.js';
import { addFilter } from './filter.js';
import { all, find, isTyping, mayWrite } from './dom.js';
import { clearSelection, select } from './select.js';
import { closeSheet, isSheetOpen } from './sheet.js';
import { isOpen as isPickerOpen } from './picker.js';
import { newItem, showKeys } from './dialogs.js';
import { pickField, placeOf, subjects } from './item.js';
import { toggleClosed } from './actions.js';
import { undoLast } from './toast.js';

const GO = { h: '/', b: '/all', i: '/review', e: '/epics', m: '/milestones' };
const FIELDS = Object.fromEntries(Object.entries(FIELD_KEYS).map(([field, key]) => [key.toLowerCase(), field]));
let isGoing = false;

document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    openPalette();
    return;
  }
  if (event.key === 'Escape' && !isPickerOpen() && !find('dialog[open]')) {
    if (closePalette() || clearSelection() || closeSheet()) event.preventDefault();
    else if (location.hash === '#rail') location.hash = 'main';
    return;
  }
  if (isTyping(event.target) || isPickerOpen() || isPaletteOpen() || find('dialog[open]')) return;
  if (event.ctrlKey !== event.altKey && !(event.altKey && event.key.startsWith('Arrow'))) return;
  if (event.metaKey) return;
  const act = isGoing ? goTo(event.key) : cardKey(event) ?? globalKey(event);
  isGoing = !isGoing && event.key === 'g';
  if (!act) return;
  event.preventDefault();
  act();
});

const goTo = (key) => (GO[key] ? () => location.assign(GO[key]) : null);

function globalKey({ key }) {
  return {
    c: mayWrite ? () => newItem() : null,
    '/': () => openPalette(),
    '?': showKeys,
    z: () => undoLast(),
    f: () => find('[data-act=filter]') && addFilter(find('[data-act=filter]')),
    j: () => focusOn(find('.card')),
    ArrowDown: find('.card') && !isSheetOpen() && document.activeElement === document.body ? () => focusOn(find('.card')) : null,
  }[key] ?? fieldKey(key);
}

function fieldKey(key) {
  const field = FIELDS[key];
  const resolve = key === 'e' && find('.thread [name=resolves]');
  if (resolve) return () => resolve.click();
  const numbers = (field || key === 'e') && mayWrite ? subjects() : [];
  if (!numbers.length) return null;
  return field ? () => pickField(numbers, field, placeOf(field)) : () => toggleClosed(numbers);
}

function cardKey(event) {
  const card = document.activeElement?.closest?.('.card');
  if (!card || isSheetOpen()) return null;
  const { key, shiftKey, altKey } = event;
  if (altKey) return { ArrowUp: () => rerank(card, -1), ArrowDown: () => rerank(card, 1) }[key] ?? null;
  const extend = (step) => () => {
    if (shiftKey) select(card);
    along(card, step);
  };
  return {
    '[': () => aside(card, -1, true),
    ']': () => aside(card, 1, true),
    ArrowUp: extend(-1),
    k: extend(-1),
    ArrowDown: extend(1),
    j: extend(1),
    ArrowLeft: () => aside(card, -1, shiftKey),
    h: () => aside(card, -1, false),
    ArrowRight: () => aside(card, 1, shiftKey),
    x: () => select(card),
    n: () => openNewCard(card.closest('.column')),
    ' ': () => find('.card-title, .card-title-link', card).click(),
  }[key] ?? null;
}

/** Opens the form for a new card on top of a column. */
export function openNewCard(column) {
  const form = column && find('.new-card', column);
  if (!form) return newItem({});
  for (const other of all('.new-card.open')) other.classList.remove('open');
  form.classList.add('open');
  find('.scroll', column).scrollTop = 0;
  return find('textarea', form).focus({ preventScroll: true });
}
