// One item, on its page or in the sheet: editing in place, properties, links, ticks.

import { api, part, save } from './api.js';
import { FIELD_KEYS, FIELD_NAMES, levelOf, optionsOf, typed } from './choices.js';
import { element, find, icon } from './dom.js';
import { attempt, isWork, nameOf, remove, setField, toggleLabel } from './actions.js';
import { pick } from './picker.js';
import { selectedNumbers } from './select.js';
import { closeSheet, isSheetOpen, itemRoot } from './sheet.js';
import { did } from './toast.js';
import { refresh } from './refresh.js';

export const item = () => itemRoot().dataset;

/** Returns the items that keys and commands act on: the selection, the open item, or the card that has the focus or the pointer. */
export function subjects() {
  const selected = selectedNumbers();
  if (selected.length) return selected;
  if (itemRoot()) return [item().id];
  const card = document.activeElement?.closest?.('.card') ?? find('.card:hover');
  return card ? [Number(card.dataset.number)] : [];
}

/** Names the subjects in a command. */
export function subjectsName() {
  const numbers = subjects();
  if (numbers.length > 1) return `${numbers.length} items`;
  const open = numbers[0] === itemRoot()?.dataset.id && item();
  return open && ['board', 'milestone'].includes(open.kind) ? open.title : `#${open ? open.number : numbers[0]}`;
}

/** Returns the element beside which the picker of a field opens. */
export const placeOf = (field) => document.activeElement?.closest('.card') ?? find('.bulk') ?? find(`#property-${field}`) ?? document.activeElement;

const SAVED_MS = 2000;

/** Shows for two seconds that a change is stored. */
export function showSaved() {
  const saved = find('#saved');
  saved?.classList.add('on');
  setTimeout(() => find('#saved')?.classList.remove('on'), SAVED_MS);
}

/** Returns the values that an item has in a field; several items may have different ones. */
async function valuesOf(numbers, field) {
  if (numbers.length > 1) return [];
  const one = await api('GET', `/items/${numbers[0]}`);
  if (field === 'labels') return one.labels;
  return [field === 'priority' ? levelOf(one.priority) : part(one, field)];
}

/** Opens the picker of a field for items; `numbers` are those of the change, `value` is what they have, if it is known. */
export function pickField(numbers, field, anchor, value) {
  const known = field === 'labels' ? value?.split('\n') : value !== undefined && [value];
  pick({
    anchor, title: FIELD_NAMES[field] ?? field, key: FIELD_KEYS[field], options: optionsOf(field), chosen: known || valuesOf(numbers, field), typed: (text) => typed(field, text),
    pick: async (option) => {
      if (field === 'labels') await toggleLabel(numbers, option.value, option.isTyped);
      else await setField(numbers, field, option.value, option.text, option.isTyped);
      showSaved();
    },
  });
}

/** Offers the properties that have no value yet. */
export function addProperty(button) {
  const options = button.dataset.fields.split(' ').map((field) => ({ value: field, text: FIELD_NAMES[field] ?? field, glyph: () => icon('plus', 'i s') }));
  pick({ anchor: button, title: 'Add property', options, pick: ({ value }) => pickField([item().id], value, button) });
}

/** Opens the form that edits a text in place. */
export function edit(target) {
  const form = find(`#${CSS.escape(target)} .edit-form`, itemRoot());
  if (!form) return;
  find('.shown', form.closest('.editable')).hidden = true;
  form.hidden = false;
  const field = find('textarea', form);
  // The browser would scroll the first line to the upper edge.
  field.focus({ preventScroll: true });
  form.scrollIntoView({ block: 'nearest' });
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Closes an edit form. */
export function leave(form) {
  form.reset();
  form.removeAttribute('data-dirty');
  find('.conflict', form)?.replaceChildren();
  const editable = form.closest('.editable');
  if (editable) {
    form.hidden = true;
    find('.shown', editable).hidden = false;
  }
  document.activeElement?.blur?.();
  return refresh();
}

/** Saves a text; if someone else changed it too, both are shown and nothing is lost. */
export async function saveText(form, values) {
  const { save: field, revision, original } = form.dataset;
  const { id } = item();
  const text = Object.values(values)[0].replace(/\n+$/, field === 'title' ? '' : '$&');
  let saved;
  try {
    saved = await save(id, field, text, revision, original);
  } catch (error) {
    if (!error.now) throw error;
    await decide(form, field, error.now);
    return 'kept';
  }
  tellSaved(id, field, saved, original);
  await leave(form);
  return null;
}

/** Says that a text was saved. Undo brings the former one back, unless someone else has changed it since. */
function tellSaved(id, field, saved, former) {
  const name = field.startsWith('comments/') ? 'Comment on' : field === 'title' ? 'Title of' : 'Text of';
  did(`${name} ${nameOf(saved)} saved`, async () => {
    await save(id, field, former, saved.revision, part(saved, field));
    await refresh();
  });
  showSaved();
}

/** Deletes the comment of a form; Undo brings its text back. */
export function removeComment({ form }) {
  const { save: field, original: text } = form.dataset;
  const path = `/items/${item().id}/${field}`;
  return attempt(async () => {
    await api('DELETE', path);
    await leave(form);
    did('Comment deleted', () => api('PATCH', path, { text }).then(refresh), 'trash');
  });
}

/** Shows both versions of a text, keeps the typed one, and lets the user choose. */
async function decide(form, field, now) {
  const log = await api('GET', `/items/${item().id}/history`);
  const people = [...new Set(log.operations.slice(Number(form.dataset.seen)).map(({ by }) => by.replace(/ <.*/, '')))];
  const theirs = (now.comments?.find(({ id }) => field === `comments/${id}`)?.body ?? now[field] ?? '').toString();
  const keep = element('button', { type: 'submit', className: 'button primary small' }, 'Keep mine');
  const take = element('button', { type: 'button', className: 'button small' }, 'Take theirs');
  take.addEventListener('click', () => leave(form));
  const version = (title, text, other, mark) => element('div', {}, element('h4', {}, title), element('p', {}, ...marked(text, other, mark)));
  const mine = find('textarea', form).value;
  find('.conflict', form).replaceChildren(
    element('header', {}, icon('warn'), `${people.join(', ') || 'Someone else'} changed this text while you were writing`),
    element('div', { className: 'versions' }, version('Yours', mine, theirs, 'ins'), version('Theirs', theirs, mine, 'del')),
    element('footer', {}, take, keep),
  );
  Object.assign(form.dataset, { revision: now.revision, original: theirs, seen: log.operations.length });
  find('.conflict', form).scrollIntoView({ block: 'nearest' });
}

// The table of the comparison grows with the product of the lengths.
const MAX_CELLS = 250_000;

/** Returns a text with the words marked that another text has not, by the longest common subsequence. */
function marked(text, other, name) {
  const [words, others] = [text, other].map((one) => one.split(/(?<=\s)/));
  if (words.length * others.length > MAX_CELLS) return [text];
  const table = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i -= 1) {
    for (let j = others.length - 1; j >= 0; j -= 1) {
      table[i][j] = words[i].trim() === others[j].trim() ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  const parts = [];
  let j = 0;
  for (const [i, word] of words.entries()) {
    while (j < others.length && words[i].trim() !== others[j].trim() && table[i][j + 1] >= table[i + 1][j]) j += 1;
    const isCommon = j < others.length && word.trim() === others[j].trim();
    parts.push(isCommon ? word : element(name, {}, word));
    if (isCommon) j += 1;
  }
  return parts;
}

/** Adds or removes a link. `blocked by` is stored as a link of the other item. */
export async function link(method, kind, to) {
  const other = encodeURIComponent(to.trim().replace(/^#/, ''));
  if (kind === 'blocked_by') await api(method, `/items/${other}/links`, { kind: 'blocks', to: item().id });
  else await api(method, `/items/${item().id}/links`, { kind, to });
}

const LINKS = [['blocked_by', 'Blocked by', 'blocked'], ['blocks', 'Blocking', 'arrow-r'], ['relates', 'Related to', 'link']];

/** Asks for the kind of link, then for the other item. */
export function addLink(anchor) {
  const kinds = LINKS.map(([value, text, glyph]) => ({ value, text, glyph: () => icon(glyph, 'i s') }));
  pick({ anchor, title: 'Kind of link', options: kinds, pick: ({ value, text }) => pickItem(anchor, `${text}…`, (other) => connect(value, other)) });
}

function connect(kind, other) {
  return attempt(async () => {
    await link('POST', kind, other.value);
    did(`Linked to ${other.hint || other.value}`, () => link('DELETE', kind, other.value).then(refresh), 'link');
  });
}

/** Opens a picker of items; a number may be typed. */
export function pickItem(anchor, title, done) {
  const options = api('GET', '/items?limit=100&sort=updated:desc&kind=task,issue,story,epic').then(({ items }) => items.map(({ id, number, title: text, kind }) => (
    { value: id, text, hint: `#${number}`, glyph: () => icon(`k-${kind}`, 'i s') })));
  const numbered = (text) => (/^#?\d+$/.test(text) ? { value: text.replace('#', ''), text: `#${text.replace('#', '')}` } : null);
  pick({ anchor, title, options, typed: numbered, pick: done });
}

export function addCode(anchor) {
  const place = (text) => ({ value: text, text });
  pick({ anchor, title: 'src/login.rs or src/login.rs:check', options: [], typed: place, pick: ({ value }) => attempt(async () => {
    await link('POST', 'touches', value);
    did(`Linked to ${value}`, () => link('DELETE', 'touches', value).then(refresh), 'code');
  }) });
}

export function unlink({ kind, to }) {
  return attempt(async () => {
    await link('DELETE', kind, to);
    did('Link removed', () => link('POST', kind, to).then(refresh), 'link');
  });
}

/** Ticks or unticks a task of the text. The position is in bytes of the stored text. */
export function tick(box) {
  const { id } = item();
  return attempt(async () => {
    const now = await api('GET', `/items/${id}`);
    const bytes = new TextEncoder().encode(now.description);
    const at = Number(box.dataset.task) + 1;
    const isDone = box.getAttribute('aria-checked') === 'true';
    const expected = isDone ? [0x78, 0x58] : [0x20];
    if (!expected.includes(bytes[at])) throw new Error('The text has changed meanwhile; it is shown anew.');
    bytes[at] = isDone ? 0x20 : 0x78;
    const text = new TextDecoder().decode(bytes);
    await api('PATCH', `/items/${id}`, { fields: { description: text } }, now.revision);
    did(isDone ? 'Task reopened' : 'Task done', () => api('PATCH', `/items/${id}`, { fields: { description: now.description } }).then(refresh), 'checklist');
  });
}

export async function removeItem() {
  const { id, number, title, kind } = item();
  const isInSheet = isSheetOpen();
  await remove(id, isWork({ kind }) ? `#${number} ${title}` : title);
  if (isInSheet) closeSheet();
}

export const restore = () => attempt(async () => {
  const { id, title } = item();
  await api('POST', `/items/${id}/reopen`);
  did(`Restored ${title}`, () => api('DELETE', `/items/${id}`).then(refresh), 'undo');
});
