// Dialogs: a new item, and the keys.

import { api } from './api.js';
import { attempt } from './actions.js';
import { optionsOf } from './choices.js';
import { element, find, icon, words } from './dom.js';
import { pick } from './picker.js';
import { refresh } from './refresh.js';
import { openSheet } from './sheet.js';
import { did } from './toast.js';

const KEYS = [
  [['C'], 'New item'], [['Ctrl', 'K'], 'Search and commands'], [['/'], 'Search'], [['←', '→', '↑', '↓'], 'Go between cards'], [['H', 'J', 'K', 'L'], 'The same'],
  [['[', ']'], 'Move to the column before or after'], [['Alt', '↑'], 'Change the rank'], [['X'], 'Select'], [['Shift', '↓'], 'Extend the selection'],
  [['S'], 'Status'], [['A'], 'Assignee'], [['P'], 'Priority'], [['L'], 'Label'], [['D'], 'Due date'], [['E'], 'Close'], [['Enter'], 'Open'], [['N'], 'New card in this column'],
  [['Z'], 'Undo'], [['F'], 'Filter'], [['G', 'H'], 'Go to Home'], [['G', 'B'], 'Go to the board'], [['G', 'I'], 'Go to the inbox'], [['G', 'E'], 'Go to epics'],
  [['G', 'M'], 'Go to milestones'], [['Ctrl', 'Enter'], 'Send'], [['?'], 'These keys'], [['Esc'], 'Leave'],
];

function dialog(title, ...children) {
  return open(element('dialog', { ariaLabel: title }, element('h2', {}, title), ...children));
}

function open(made) {
  made.addEventListener('close', () => made.remove());
  made.addEventListener('click', (event) => event.target === made && made.close());
  document.body.append(made);
  made.showModal();
  return made;
}

/** Shows the commands of a template. */
export const showSteps = (id) => open(find(`#${id}`).content.firstElementChild.cloneNode(true));

export function showKeys() {
  const list = element('dl', { className: 'keys' }, ...KEYS.map(([keys, text]) => element('div', {}, element('dt', {}, ...keys.map((key) => element('kbd', {}, key))), element('dd', {}, text))));
  dialog('Keys', list);
}

const KINDS = ['task', 'issue', 'story', 'epic', 'milestone', 'board'];

/** Asks for a new item; `given` presets kind, status, title and fields. */
export function newItem(given = {}) {
  const state = { kind: given.kind ?? 'task', fields: { ...given.fields } };
  const board = find('[data-board]')?.dataset.board;
  if (board && !['board', 'milestone'].includes(state.kind)) state.fields.board = board;
  if (given.status) state.fields.status = given.status;
  const title = element('input', { className: 'title', placeholder: 'Title', ariaLabel: 'Title', required: true, autocomplete: 'off', value: given.title ?? '' });
  const text = element('textarea', { placeholder: 'Text, in Markdown', ariaLabel: 'Text' });
  const row = element('div', { className: 'row' });
  const submit = element('button', { type: 'submit', className: 'button primary' }, 'Create');
  const form = element('form', { className: 'new-item' }, title, text, row, element('div', { className: 'choices' }, submit));
  const made = dialog('New item', form);
  const draw = () => row.replaceChildren(...chips(state, draw, made));
  draw();
  title.focus();
  text.addEventListener('keydown', (event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && form.requestSubmit());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    submit.disabled = true;
    const created = await create(state, title.value, text.value);
    submit.disabled = false;
    if (created) made.close();
  });
}

function chips(state, draw, home) {
  const fields = ['board', 'milestone'].includes(state.kind) ? ['kind', 'due'] : ['kind', 'status', 'priority', 'assignee', 'parent', 'milestone', 'due'];
  return fields.map((field) => {
    const value = field === 'kind' ? state.kind : state.fields[field];
    const button = element('button', { type: 'button', className: 'button ghost small' }, field === 'kind' ? icon(`${['board'].includes(state.kind) ? '' : 'k-'}${state.kind}`, 'i s') : null,
      value ? (state.shown?.[field] ?? words(value)) : words(field));
    button.addEventListener('click', () => {
      const options = field === 'kind' ? KINDS.map((kind) => ({ value: kind, text: words(kind) })) : optionsOf(field);
      pick({ anchor: button, title: words(field), options, pick: (option) => {
        if (field === 'kind') state.kind = option.value;
        else state.fields[field] = option.value;
        state.shown = { ...state.shown, [field]: option.text };
        draw();
      } });
      // A modal dialog makes everything outside of it inert.
      home.append(find('.picker'));
      find('.picker input').focus();
    });
    return button;
  });
}

function create(state, title, description) {
  return attempt(async () => {
    const fields = Object.fromEntries(Object.entries(state.fields).filter(([, value]) => value));
    if (description.trim()) fields.description = description;
    if (['board', 'milestone'].includes(state.kind)) delete fields.board;
    const made = await api('POST', '/items', { kind: state.kind, title: title.trim(), fields });
    const isWork = !['board', 'milestone'].includes(state.kind);
    did(`Created ${isWork ? `#${made.number}` : words(state.kind)} ${made.title}`, () => api('DELETE', `/items/${made.id}`).then(refresh), 'plus');
    if (!isWork) location.assign(`/${state.kind}/${made.number}`);
    else if (!find('.card, .row')) openSheet(made.number);
    return made;
  });
}
