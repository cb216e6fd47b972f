// The command palette: items, pages and commands by typing.

import { api } from './api.js';
import { levelOf, optionsOf } from './choices.js';
import { changeTheme } from './theme.js';
import { newItem, showKeys } from './dialogs.js';
import { all, element, face, find, icon, isMac, mayWrite, statusShape, words } from './dom.js';
import { withWords } from './filter.js';
import { pickField, placeOf, subjects, subjectsName } from './item.js';
import { openSheet } from './sheet.js';
import { toggleClosed } from './actions.js';

const WAIT_MS = 120;
let box = null;
let origin = null;

export const isPaletteOpen = () => box !== null;

export function closePalette() {
  if (!box) return false;
  clearTimeout(box.timer);
  box.scrim.remove();
  box.root.remove();
  box = null;
  if (origin?.isConnected) origin.focus({ preventScroll: true });
  return true;
}

const pages = () => all('.rail .nav').map((link) => ({ text: `Go to ${link.title}`, glyph: 'arrow-r', act: () => location.assign(link.href) }));

const FIELDS = [
  ['status', 'Status of', 's-progress', 'S'], ['assignee', 'Assignee of', 'user', 'A'], ['priority', 'Priority of', 'p-high', 'P'], ['labels', 'Labels of', 'tag', 'L'],
  ['due', 'Due date of', 'due', 'D'], ['milestone', 'Milestone of', 'k-milestone'], ['parent', 'Parent of', 'k-epic'],
];

/** Returns what can be done with the selected cards, the open item or the focused card. */
function itemCommands() {
  const { numbers, name } = box;
  if (!numbers.length) return [];
  const fields = FIELDS.map(([field, text, glyph, end]) => ({ text: `${text} ${name}…`, glyph, end, act: () => pickField(numbers, field, placeOf(field)) }));
  return [...fields, { text: `Close or reopen ${name}`, glyph: 'check', end: 'E', act: () => toggleClosed(numbers) }];
}

/** Returns what the bars of the page offer. */
function pageCommands() {
  const press = (selector, text, glyph, end) => all(selector).map((one) => ({ text: text ?? one.textContent.trim(), glyph, end, act: () => one.click() }));
  const choices = (selector, glyph, name) => all(selector).filter((link) => !link.ariaCurrent).map((link) => (
    { text: `${name(link)}: ${link.textContent.trim()}`, glyph, act: () => link.click() }));
  return [
    ...choices('.topbar .switch a', 'display', (link) => link.parentNode.ariaLabel),
    ...choices('.filters .menu-list a', 'sort', (link) => words(link.closest('.menu').id.replace('menu-', ''))),
    ...press('.filters [data-act=filter]', 'Filter by…', 'filter', 'F'), ...press('#save-view', 'Save view…', 'pin'),
    ...press('#board-menu a', null, 'board'), ...press('.rail form button', 'Log out', 'lock'),
  ];
}

const KINDS = ['epic', 'milestone', 'board'];

function commands(text) {
  const made = text.trim();
  const wanted = made.toLowerCase().split(/\s+/);
  const write = mayWrite ? [{ text: made ? `New item “${made}”` : 'New item', glyph: 'plus', act: () => newItem({ title: made }), end: 'C' }] : [];
  const known = [
    ...itemCommands(), ...(made ? [] : write), ...pageCommands(), ...(mayWrite ? KINDS.map((kind) => ({ text: `New ${kind}`, glyph: 'plus', act: () => newItem({ kind }) })) : []), ...pages(),
    { text: 'Change the theme', glyph: 'moon', act: changeTheme },
    { text: 'Keyboard shortcuts', glyph: 'help', act: showKeys, end: '?' },
  ].filter(({ text: name }) => wanted.every((word) => name.toLowerCase().includes(word)));
  if (!made) return known;
  const only = find('#find') ? [{ text: `Show only items with “${made}”`, glyph: 'filter', act: () => withWords(made) }] : [];
  return [...known, ...write, ...only, { text: `Search for “${made}”`, glyph: 'search', act: () => location.assign(`/search?q=${encodeURIComponent(made)}`) }];
}

export function openPalette(start = '') {
  if (box) return;
  origin = document.activeElement;
  const numbers = mayWrite ? subjects() : [];
  const name = numbers.length ? subjectsName() : '';
  const input = element('input', { type: 'text', placeholder: 'Search or run a command', ariaLabel: 'Search or run a command', autocomplete: 'off', spellcheck: false, value: start });
  for (const [name, value] of [['role', 'combobox'], ['aria-expanded', 'true'], ['aria-controls', 'palette-found']]) input.setAttribute(name, value);
  const found = element('div', { className: 'found', id: 'palette-found', role: 'listbox', ariaLabel: 'Results' });
  const hint = (key, text) => element('span', {}, element('kbd', {}, key), text);
  const root = element('div', { className: 'palette', role: 'dialog', ariaModal: 'true', ariaLabel: 'Command palette' },
    element('div', { className: 'query' }, icon('search'), input), found,
    element('footer', {}, hint('↑↓', 'choose'), hint('↵', 'open'), hint(isMac ? '⌘↵' : 'Ctrl ↵', 'as a page'), element('span', { className: 'grow' }), hint('#', 'items'), hint('@', 'people'), hint('>', 'commands')));
  const scrim = element('div', { className: 'scrim' });
  scrim.addEventListener('click', closePalette);
  box = { root, scrim, found, input, numbers, name, people: [], entries: [], at: 0, timer: 0 };
  input.addEventListener('input', () => {
    box.isPending = true;
    box.entered = null;
    draw([]);
    clearTimeout(box.timer);
    box.timer = setTimeout(search, WAIT_MS);
  });
  input.addEventListener('keydown', keyed);
  document.body.append(scrim, root);
  input.focus();
  search();
}

async function search() {
  const text = box.input.value.trim();
  const [[items, failure], people] = await Promise.all([text.startsWith('>') || text.startsWith('@') ? [[]] : itemsWith(text.replace(/^#/, '')), optionsOf('assignee').catch(() => [])]);
  if (!box || box.input.value.trim() !== text) return;
  Object.assign(box, { isPending: false, failure, people });
  if (text.startsWith('@')) show([['People', named(people, text.slice(1))]]);
  else draw(items);
  // Enter was pressed before the results were there.
  if (box.entered) run(0, box.entered.isPage);
}

/** Finds items by number and by text; without either, those that changed last. */
async function itemsWith(wanted) {
  const query = wanted ? `/search?limit=8&text=${encodeURIComponent(wanted)}` : '/items?limit=6&sort=updated:desc';
  const byNumber = /^\d+$/.test(wanted) ? api('GET', `/items/${wanted}`).catch(() => null) : null;
  const found = await api('GET', query).catch(({ message }) => ({ items: [], message }));
  const exact = await byNumber;
  return [[exact, ...found.items.filter(({ id }) => id !== exact?.id)].filter(Boolean), found.message];
}

/** Returns the people whose names have the words; choosing one shows their open work. */
function named(people, text) {
  const wanted = text.trim().toLowerCase();
  const open = (who) => location.assign(`/all/list?filter=${encodeURIComponent(`assignee == "${who}"`)}`);
  return people.filter(({ value, text: name }) => value && name.toLowerCase().includes(wanted))
    .map((one) => ({ text: one.text, wanted, draw: one.glyph, act: () => open(one.value) }));
}

function draw(items) {
  if (box.input.value.trim().startsWith('@')) return;
  const text = box.input.value.trim();
  const wanted = text.replace(/^[>#]/, '').trim().toLowerCase();
  const entries = text.startsWith('>') ? [] : items.map((one) => itemEntry(one, wanted));
  const doing = text.startsWith('#') ? [] : commands(text.replace(/^>/, ''));
  show([[wanted ? 'Items' : 'Last changed', entries], ['Do', doing]]);
}

/** Shows groups of entries. */
function show(groups) {
  box.entries = groups.flatMap(([, entries]) => entries);
  box.at = 0;
  let from = 0;
  const parts = groups.flatMap(([title, entries]) => { from += entries.length; return group(title, entries, from - entries.length); });
  const text = box.failure ?? (parts.length || box.isPending ? '' : 'Nothing found');
  box.found.replaceChildren(...(text ? [element('p', { className: 'none', role: 'status' }, text)] : []), ...parts);
  mark();
}

function itemEntry(one, wanted) {
  const shape = statusShape(one.status, one.category);
  const isPage = ['board', 'milestone'].includes(one.kind);
  const address = isPage ? `/${one.kind}/${one.number}` : `/item/${one.number}`;
  return {
    text: one.title, wanted, number: `#${one.number}`, who: one.assignee && person(one.assignee), level: levelOf(one.priority), glyph: `s-${shape}`, hue: `st-${shape}`, address,
    act: () => (isPage || find('main .item') ? location.assign(address) : openSheet(one.number)),
  };
}

const person = (who) => box.people.find(({ value }) => value === who) ?? { text: who, glyph: () => face(who.replace(/ <.*/, ''), false) };


function group(title, entries, from) {
  if (!entries.length) return [];
  const list = element('ul', { role: 'group', ariaLabel: title }, ...entries.map((entry, n) => row(entry, from + n)));
  return [element('h3', { ariaHidden: 'true' }, title), list];
}

function row(entry, n) {
  const made = element('li', { role: 'option', id: `palette-${n}` }, entry.draw?.() ?? icon(entry.glyph, `i ${entry.hue ?? ''}`));
  if (entry.number) made.append(element('span', { className: 'number' }, entry.number));
  made.append(element('span', { className: 'truncate' }, ...marked(entry.text, entry.wanted)));
  if (entry.number) {
    const end = element('span', { className: 'end' });
    if (entry.level !== 'none') end.append(icon(`p-${entry.level}`, 'i s'));
    if (entry.who) end.append(entry.who.glyph(), element('span', { className: 'unseen' }, entry.who.text));
    made.append(end);
  }
  if (entry.end) made.append(element('span', { className: 'end' }, element('kbd', {}, entry.end)));
  made.addEventListener('click', () => run(n, false));
  made.addEventListener('pointermove', () => { if (box.at !== n) { box.at = n; mark(); } });
  return made;
}

function marked(text, wanted) {
  const at = wanted ? text.toLowerCase().indexOf(wanted) : -1;
  if (at < 0) return [text];
  return [text.slice(0, at), element('mark', {}, text.slice(at, at + wanted.length)), text.slice(at + wanted.length)];
}

function mark() {
  for (const option of all('[role=option]', box.found)) option.setAttribute('aria-selected', String(option.id === `palette-${box.at}`));
  box.input.setAttribute('aria-activedescendant', `palette-${box.at}`);
  find(`#palette-${box.at}`, box.found)?.scrollIntoView({ block: 'nearest' });
}

function run(n, isPage) {
  const entry = box.entries[n];
  if (!entry) return;
  closePalette();
  if (isPage && entry.address) location.assign(entry.address);
  else entry.act();
}

function keyed(event) {
  // The page below is out of reach, so Tab goes along the list.
  const step = { ArrowDown: 1, ArrowUp: -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
  if (step) {
    box.at = (box.at + step + box.entries.length) % Math.max(box.entries.length, 1);
    mark();
  } else if (event.key === 'Enter' && box.isPending) box.entered = { isPage: event.ctrlKey || event.metaKey };
  else if (event.key === 'Enter') run(box.at, event.ctrlKey || event.metaKey);
  else if (event.key === 'Escape') closePalette();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
