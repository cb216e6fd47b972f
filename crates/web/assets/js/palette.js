// The command palette: items, pages and commands by typing.

import { api } from './api.js';
import { optionsOf } from './choices.js';
import { changeTheme } from './theme.js';
import { newItem, showKeys } from './dialogs.js';
import { all, element, find, icon, mayWrite, statusShape } from './dom.js';
import { openSheet } from './sheet.js';

const WAIT_MS = 120;
let box = null;
let origin = null;

export const isPaletteOpen = () => box !== null;

export function closePalette() {
  if (!box) return false;
  box.scrim.remove();
  box.root.remove();
  box = null;
  if (origin?.isConnected) origin.focus({ preventScroll: true });
  return true;
}

const pages = () => all('.rail .nav').map((link) => ({
  text: `Go to ${link.title}`, glyph: () => icon('arrow-r'), act: () => location.assign(link.href), end: '',
}));

function commands(text) {
  const made = text.trim();
  const write = mayWrite ? [{ text: made ? `New item “${made}”` : 'New item', glyph: () => icon('plus'), act: () => newItem({ title: made }), end: 'C' }] : [];
  const wanted = made.toLowerCase();
  const known = [
    ...pages(),
    { text: 'Change the theme', glyph: () => icon('moon'), act: changeTheme },
    { text: 'Keyboard shortcuts', glyph: () => icon('help'), act: showKeys, end: '?' },
  ].filter(({ text: name }) => name.toLowerCase().includes(wanted));
  const search = made ? [{ text: `Search for “${made}”`, glyph: () => icon('search'), act: () => location.assign(`/search?q=${encodeURIComponent(made)}`) }] : [];
  return made ? [...known, ...write, ...search] : [...write, ...known];
}

export function openPalette(start = '') {
  if (box) return;
  origin = document.activeElement;
  const input = element('input', { type: 'text', placeholder: 'Search or run a command', ariaLabel: 'Search or run a command', autocomplete: 'off', spellcheck: false, value: start });
  for (const [name, value] of [['role', 'combobox'], ['aria-expanded', 'true'], ['aria-controls', 'palette-found']]) input.setAttribute(name, value);
  const found = element('div', { className: 'found', id: 'palette-found', role: 'listbox', ariaLabel: 'Results' });
  const hint = (key, text) => element('span', {}, element('kbd', {}, key), text);
  const root = element('div', { className: 'palette', role: 'dialog', ariaModal: 'true', ariaLabel: 'Command palette' },
    element('div', { className: 'query' }, icon('search'), input), found,
    element('footer', {}, hint('↵', 'open'), hint('Ctrl ↵', 'as a page'), element('span', { className: 'grow' }), hint('#', 'items'), hint('@', 'people'), hint('>', 'commands')));
  const scrim = element('div', { className: 'scrim' });
  scrim.addEventListener('click', closePalette);
  box = { root, scrim, found, input, entries: [], at: 0, timer: 0 };
  input.addEventListener('input', () => {
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
  if (text.startsWith('>')) return draw([]);
  if (text.startsWith('@')) return people(text);
  const wanted = text.replace(/^#/, '');
  const query = wanted ? `/search?limit=8&text=${encodeURIComponent(wanted)}` : '/items?limit=6&sort=updated:desc';
  const byNumber = /^\d+$/.test(wanted) ? api('GET', `/items/${wanted}`).catch(() => null) : null;
  const found = await api('GET', query).catch(() => ({ items: [] }));
  const exact = await byNumber;
  if (!box || box.input.value.trim() !== text) return null;
  return draw([exact, ...found.items.filter(({ id }) => id !== exact?.id)].filter(Boolean));
}

/** Finds people; choosing one shows their open work. */
async function people(text) {
  const wanted = text.slice(1).trim().toLowerCase();
  const found = await optionsOf('assignee').catch(() => []);
  if (!box || box.input.value.trim() !== text) return;
  const open = (person) => location.assign(`/all/list?filter=${encodeURIComponent(`assignee == "${person}"`)}`);
  const entries = found.filter(({ value, text: name }) => value && name.toLowerCase().includes(wanted))
    .map((one) => ({ text: one.text, wanted, glyph: one.glyph ?? (() => icon('user')), act: () => open(one.value) }));
  box.entries = entries;
  box.at = 0;
  box.found.replaceChildren(...group('People', entries, 0));
  mark();
}

function draw(items) {
  if (box.input.value.trim().startsWith('@')) {
    box.entries = [];
    box.found.replaceChildren();
    return;
  }
  const text = box.input.value.trim();
  const wanted = text.replace(/^[>#]/, '').trim().toLowerCase();
  const entries = text.startsWith('>') ? [] : items.map((one) => itemEntry(one, wanted));
  const doing = text.startsWith('#') ? [] : commands(text.replace(/^>/, ''));
  box.entries = [...entries, ...doing];
  box.at = 0;
  box.found.replaceChildren(...group(wanted ? 'Items' : 'Last changed', entries, 0), ...group('Do', doing, entries.length));
  mark();
}

function itemEntry(one, wanted) {
  const shape = statusShape(one.status, one.category);
  const isPage = ['board', 'milestone'].includes(one.kind);
  const address = isPage ? `/${one.kind}/${one.number}` : `/item/${one.number}`;
  return {
    text: one.title, wanted, number: `#${one.number}`, who: one.assignee, level: level(one.priority), glyph: () => icon(`s-${shape}`, `i st-${shape}`), address,
    act: () => (isPage || find('main .item') ? location.assign(address) : openSheet(one.number)),
  };
}

// As `model::priority` has them.
const level = (number) => (number > 8 ? 'urgent' : number > 6 ? 'high' : number > 3 ? 'medium' : number > 0 ? 'low' : '');

function group(title, entries, from) {
  if (!entries.length) return [];
  const list = element('ul', { role: 'group', ariaLabel: title }, ...entries.map((entry, n) => row(entry, from + n)));
  return [element('h3', { ariaHidden: 'true' }, title), list];
}

function row(entry, n) {
  const made = element('li', { role: 'option', id: `palette-${n}` }, entry.glyph());
  if (entry.number) made.append(element('span', { className: 'number' }, entry.number));
  made.append(element('span', { className: 'truncate' }, ...marked(entry.text, entry.wanted)));
  if (entry.level || entry.who) {
    const end = element('span', { className: 'end' });
    if (entry.level) end.append(icon(`p-${entry.level}`, 'i s'));
    if (entry.who) end.append(element('span', {}, entry.who.replace(/ <.*/, '')));
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
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    box.at = (box.at + step + box.entries.length) % Math.max(box.entries.length, 1);
    mark();
  } else if (event.key === 'Enter') run(box.at, event.ctrlKey || event.metaKey);
  else if (event.key === 'Escape') closePalette();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
