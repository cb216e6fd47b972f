// Dialogs: a new item, and the keys.

import { api } from './api.js';
import { attempt, isWork } from './actions.js';
import { FIELD_NAMES, optionsOf, typed } from './choices.js';
import { element, find, icon, isMac, words } from './dom.js';
import { pick } from './picker.js';
import { refresh } from './refresh.js';
import { openSheet } from './sheet.js';
import { did } from './toast.js';

const COMMAND = isMac ? '⌘' : 'Ctrl';
const KEYS = [
  [['C'], 'New item'], [[COMMAND, 'K'], 'Search and commands'], [['/'], 'Search'], [['←', '→', '↑', '↓'], 'Go between cards'], [['J', 'K'], 'Down, up'],
  [['[', ']'], 'Move to the column before or after'], [['Alt', '↑'], 'Change the rank'], [['X'], 'Select'], [['Shift', '↓'], 'Extend the selection'],
  [['S'], 'Status'], [['A'], 'Assignee'], [['P'], 'Priority'], [['L'], 'Label'], [['D'], 'Due date'], [['E'], 'Close, reopen or resolve'], [['Enter'], 'Open'], [['N'], 'New card in this column'],
  [['Z'], 'Undo'], [['F'], 'Filter'], [['G', 'H'], 'Go to Home'], [['G', 'B'], 'Go to the board'], [['G', 'I'], 'Go to the inbox'], [['G', 'E'], 'Go to epics'],
  [['G', 'M'], 'Go to milestones'], [[COMMAND, 'Enter'], 'Send'], [['?'], 'These keys'], [['Esc'], 'Leave'],
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
  const close = element('button', { type: 'button', className: 'icon-button', dataset: { act: 'close-steps' }, ariaLabel: 'Close' }, icon('close'));
  dialog('Keys', close, list);
}

const KINDS = ['task', 'issue', 'story', 'epic', 'milestone', 'board'];

/** Asks for a new item; `given` presets kind, status, title and fields. */
export function newItem(given = {}) {
  const state = { kind: given.kind ?? 'task', fields: { ...given.fields }, shown: given.shown };
  const board = find('[data-board]')?.dataset.board;
  if (board && !['board', 'milestone'].includes(state.kind)) state.fields.board = board;
  if (given.status) state.fields.status = given.status;
  const title = element('input', { className: 'title', placeholder: 'Title', ariaLabel: 'Title', required: true, autocomplete: 'off', value: given.title ?? '' });
  const text = element('textarea', { placeholder: 'Text, in Markdown', ariaLabel: 'Text', value: given.text ?? '' });
  const row = element('div', { className: 'row' });
  const submit = element('button', { type: 'submit', className: 'button primary' }, 'Create', element('kbd', { ariaHidden: 'true' }, `${COMMAND} ↵`));
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
    if (!created) return;
    state.isCreated = true;
    made.close();
  });
  // A slip of the key or the pointer costs no text.
  made.addEventListener('close', () => {
    const draft = { ...given, kind: state.kind, fields: state.fields, shown: state.shown, title: title.value, text: text.value };
    if (!state.isCreated && (title.value.trim() || text.value.trim())) did('New item discarded', async () => newItem(draft), 'trash');
  });
}

function fieldsOf(kind) {
  const colored = ['epic', 'board'].includes(kind) ? ['colour'] : [];
  if (kind === 'board') return ['kind', ...colored];
  if (kind === 'milestone') return ['kind', 'due'];
  return ['kind', 'status', 'priority', 'assignee', 'labels', 'parent', 'milestone', 'due', ...colored];
}

function chips(state, draw, home) {
  return fieldsOf(state.kind).map((field) => {
    const name = FIELD_NAMES[field];
    const value = field === 'kind' ? state.kind : state.fields[field];
    const button = element('button', { type: 'button', className: 'button ghost small', ariaLabel: value ? `${name}: ${state.shown?.[field] ?? words(value)}` : name },
      field === 'kind' ? icon(`${state.kind === 'board' ? '' : 'k-'}${state.kind}`, 'i s') : null, value ? state.shown?.[field] ?? words(value) : name);
    button.addEventListener('click', () => {
      const options = field === 'kind' ? KINDS.map((kind) => ({ value: kind, text: words(kind) })) : optionsOf(field);
      pick({ anchor: button, title: name, options, typed: (text) => typed(field, text), chosen: value ? value.split('\n') : [], pick: (option) => {
        choose(state, field, option);
        draw();
      } });
      // A modal dialog makes everything outside of it inert.
      home.append(find('.picker'));
      find('.picker input').focus();
    });
    return button;
  });
}

/** An item has several labels, and one value of any other field. */
function choose(state, field, { value, text }) {
  if (field === 'kind') state.kind = value;
  else if (field === 'labels') {
    const labels = (state.fields.labels ?? '').split('\n').filter(Boolean);
    const chosen = labels.includes(value) ? labels.filter((label) => label !== value) : [...labels, value];
    state.fields.labels = chosen.join('\n');
    text = chosen.join(', ');
  } else state.fields[field] = value;
  state.shown = { ...state.shown, [field]: text };
}

function create(state, title, description) {
  return attempt(async () => {
    const wanted = fieldsOf(state.kind).filter((field) => !['kind', 'labels'].includes(field));
    if (KINDS.indexOf(state.kind) < 4) wanted.push('board');
    const fields = Object.fromEntries(wanted.filter((field) => state.fields[field]).map((field) => [field, state.fields[field]]));
    if (description.trim()) fields.description = description;
    const labels = (state.fields.labels ?? '').split('\n').filter(Boolean);
    const made = await api('POST', '/items', { kind: state.kind, title: title.trim(), fields, labels, create: true });
    did(`Created ${isWork(state) ? `#${made.number}` : words(state.kind)} ${made.title}`, () => api('DELETE', `/items/${made.id}`).then(refresh), 'plus');
    if (!isWork(state)) location.assign(`/${state.kind}/${made.number}`);
    else if (!find('.card, .row')) openSheet(made.number);
    return made;
  });
}
