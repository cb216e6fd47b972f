// Small functions on the DOM.

export const find = (selector, from = document) => from.querySelector(selector);
export const all = (selector, from = document) => [...from.querySelectorAll(selector)];
export const mayWrite = document.body.dataset.role !== 'reader';

/** Creates an element. */
export function element(name, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const made = Object.assign(document.createElement(name), rest);
  Object.assign(made.dataset, dataset ?? {});
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Creates an icon of the sprite. */
export function icon(name, classes = 'i') {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  svg.setAttribute('class', classes);
  svg.setAttribute('aria-hidden', 'true');
  use.setAttribute('href', `${document.body.dataset.icons}#i-${name}`);
  svg.append(use);
  return svg;
}

const HUES = ['rose', 'orange', 'gold', 'green', 'cyan', 'blue', 'violet', 'pink'];

/** Creates the face of a person, as `widgets::face` does: round with initials, or square for an agent. */
export function face(name, isAgent) {
  // FNV-1a, as in `hue::of_person`.
  const hash = new TextEncoder().encode(name).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), 0x811c9dc5);
  const initials = name.split(/[ .@_-]/).map((word) => word.match(/[\p{L}\p{N}]/u)?.[0] ?? '').filter(Boolean).slice(0, 2).join('').toUpperCase();
  const classes = `face h-${HUES[(hash ^ (hash >>> 16)) & 7]}${isAgent ? ' agent' : ''}`;
  return element('span', { className: classes, ariaHidden: 'true' }, isAgent ? icon('agent') : initials || '?');
}

/** Announces a text to screen readers. */
export function announce(text) {
  find('#announcer').textContent = text;
}

/** Copies a text. Over plain HTTP a browser has no clipboard API; then a field inside `place` is selected and copied. */
export async function copy(text, place) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).catch(() => { throw new Error('The browser does not allow copying.'); });
  const field = element('textarea', { value: text, className: 'unseen' });
  place.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (!isCopied) throw new Error('The browser does not allow copying.');
  return null;
}

/** Whether the key of commands is `⌘`; elsewhere it is `Ctrl`. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Returns whether a key was typed into a field. */
export const isTyping = (target) => target.matches?.('input, textarea, select, [contenteditable]');

/** Returns a status as words: `in_progress` is "In progress". */
export const words = (name) => {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Returns the name of the glyph of a status. */
export function statusShape(name, category) {
  if (category === 'draft' || (category === 'todo' && name === 'backlog')) return 'backlog';
  return { doing: 'progress', review: 'review', done: 'done', dropped: 'dropped' }[category] ?? 'ready';
}

/** Remembers a preference in a cookie, which the server reads. */
export function prefer(name, value) {
  document.cookie = `cairn-${name}=${value}; path=/; max-age=31536000; samesite=lax`;
}

// Browsers drop cookies above 4 KB.
const MAX_LENGTH = 3000;

/** Adds a value to a list of them, or takes it out. The oldest ones make room. */
export function preferWith(name, value, isIn) {
  const values = preference(name).split('.').filter((other) => other && other !== value);
  if (isIn) values.push(value);
  while (values.join('.').length > MAX_LENGTH) values.shift();
  prefer(name, values.join('.'));
}

export const preference = (name) => document.cookie.split('; ').find((pair) => pair.startsWith(`cairn-${name}=`))?.split('=')[1] ?? '';
