// A picker: a list to choose from with the keyboard or the pointer, narrowed by typing.

import { element, icon } from './dom.js';
import { failed } from './toast.js';

let current = null;

export const isOpen = () => current !== null;

export function close() {
  if (!current) return;
  const { box, anchor } = current;
  current = null;
  box.remove();
  anchor?.setAttribute?.('aria-expanded', 'false');
  if (anchor?.isConnected) anchor.focus({ preventScroll: true });
}

/** Opens a picker below an element.
 *
 *  options: `{ value, text, hint, glyph }`, or a promise of them, so that keys typed meanwhile are not lost; chosen: the values that have a tick, or a promise of them; typed: turns a text into an option;
 *  key: the one that opens the same picker; pick: is called with the chosen option. */
export function pick({ anchor, title, options, chosen = [], typed, none = 'Nothing found', key, pick: done }) {
  close();
  const list = element('ul', { role: 'listbox', id: 'picker-list', ariaLabel: title });
  const input = element('input', { type: 'text', placeholder: title, ariaLabel: title, autocomplete: 'off', spellcheck: false });
  for (const [name, value] of [['role', 'combobox'], ['aria-expanded', 'true'], ['aria-controls', 'picker-list'], ['aria-autocomplete', 'list']]) input.setAttribute(name, value);
  const box = element('div', { className: 'picker', role: 'dialog', ariaLabel: title }, element('div', { className: 'query' }, input, key ? element('kbd', { ariaHidden: 'true' }, key) : null), list);
  const state = { box, anchor, at: 0, shown: [], options: [], chosen: [], isLoading: true };
  const draw = () => {
    state.shown = matching(state.options, input.value);
    const extra = input.value.trim() && typed?.(input.value.trim());
    if (extra && !state.shown.some(({ value }) => value === extra.value)) state.shown.push({ ...extra, isTyped: true });
    state.at = Math.min(state.at, Math.max(state.shown.length - 1, 0));
    list.replaceChildren(...state.shown.map((option, n) => row(option, n, state, choose)));
    if (!state.shown.length) list.append(element('li', { className: 'none', role: 'presentation' }, state.isLoading ? 'Loading…' : none));
    mark();
  };
  const mark = () => {
    [...list.children].forEach((child, n) => child.setAttribute('aria-selected', String(n === state.at)));
    input.setAttribute('aria-activedescendant', `picker-option-${state.at}`);
    list.children[state.at]?.scrollIntoView?.({ block: 'nearest' });
  };
  const choose = (option) => {
    if (!option) return;
    close();
    done(option);
  };
  input.addEventListener('input', () => { state.at = 0; draw(); });
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) state.at = (state.at + step + state.shown.length) % Math.max(state.shown.length, 1);
    else if (event.key === 'Enter') loading.then(() => choose(state.shown[state.at]));
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (step) mark();
  });
  current = state;
  document.body.append(box);
  anchor?.setAttribute?.('aria-expanded', 'true');
  draw();
  place(box, anchor);
  input.focus();
  const loading = Promise.all([options, chosen]).then(([known, ticked]) => {
    Object.assign(state, { options: known, chosen: ticked, isLoading: false });
    if (current !== state) return;
    draw();
    place(box, anchor);
  });
  loading.catch((error) => {
    if (current === state) close();
    failed(error);
  });
}

function row(option, n, state, choose) {
  const text = element('span', { className: 'text' }, option.text);
  if (option.hint) text.append(element('small', {}, option.hint));
  const made = element('li', { id: `picker-option-${n}`, role: 'option' }, option.glyph?.() ?? null, text);
  if (state.chosen.includes(option.value)) made.append(icon('check', 'i s check'));
  made.addEventListener('pointermove', () => {
    if (state.at === n) return;
    state.at = n;
    for (const [m, child] of [...made.parentNode.children].entries()) child.setAttribute('aria-selected', String(m === n));
  });
  // Before the input loses the focus.
  made.addEventListener('pointerdown', (event) => event.preventDefault());
  made.addEventListener('click', () => choose(option));
  return made;
}

function matching(options, text) {
  const wanted = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return options.filter((option) => wanted.every((word) => `${option.text} ${option.hint ?? ''}`.toLowerCase().includes(word)));
}

/** Puts the box below its anchor, or above where there is no room. */
function place(box, anchor) {
  const at = anchor?.getBoundingClientRect() ?? { left: innerWidth / 2 - 116, right: 0, bottom: innerHeight / 3, top: innerHeight / 3 };
  const { width, height } = box.getBoundingClientRect();
  const top = at.bottom + 4 + height <= innerHeight ? at.bottom + 4 : Math.max(8, at.top - 4 - height);
  box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
  box.style.top = `${Math.min(top, innerHeight - height - 8)}px`;
}

document.addEventListener('pointerdown', (event) => {
  if (current && !current.box.contains(event.target)) close();
});
