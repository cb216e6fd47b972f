// One toast at a time: what happened, with Undo or Retry.

import { announce, element, find, icon } from './dom.js';

const SHOWN_MS = 6000;
// From here on a sheet lies beside a toast.
const WIDE_PX = 1300;
let current = null;
let timer = 0;
let undoable = null;

function show(glyph, text, isFailure, label, act, key) {
  dismiss();
  const box = element('div', { className: isFailure ? 'toast failed' : 'toast', role: isFailure ? 'alert' : 'status' }, icon(glyph), element('span', {}, text));
  if (act) {
    const button = element('button', { type: 'button', className: 'button ghost small' }, icon('undo', 'i s'), label);
    if (key) button.append(element('kbd', {}, key));
    button.addEventListener('click', () => { dismiss(); act(); });
    box.append(button);
  }
  const close = element('button', { type: 'button', className: 'icon-button small', ariaLabel: 'Dismiss' }, icon('close', 'i s'));
  close.addEventListener('click', dismiss);
  box.append(close);
  // A modal dialog makes all that is outside of it inert.
  (isFailure && find('dialog[open]') || find('#notices')).append(box);
  current = box;
  raise();
  if (!isFailure) wait(box);
}

/** Keeps the toast off the composer of an item. */
function raise() {
  current?.classList.toggle('raised', Boolean(find(innerWidth < WIDE_PX ? '.dock' : '.page > .item .dock')));
}
for (const name of ['refreshed', 'item-shown']) document.addEventListener(name, raise);

/** Dismisses a toast after a while. The pointer or the focus on it stops the time. */
function wait(box) {
  let left = SHOWN_MS;
  let since = 0;
  const start = () => {
    if (box.matches(':hover, :focus-within')) return;
    since = Date.now();
    timer = setTimeout(dismiss, left);
  };
  const stop = () => {
    clearTimeout(timer);
    if (since) left -= Date.now() - since;
    since = 0;
  };
  for (const name of ['pointerenter', 'focusin']) box.addEventListener(name, stop);
  // The focus is elsewhere only after the event.
  for (const name of ['pointerleave', 'focusout']) box.addEventListener(name, () => setTimeout(() => box === current && !since && start()));
  start();
}

export function dismiss() {
  clearTimeout(timer);
  current?.remove();
  current = null;
  undoable = null;
}

/** Says what was done; `undo` takes it back. */
export function did(text, undo, glyph = 'check') {
  announce(text);
  show(glyph, text, false, 'Undo', undo && (() => takeBack(undo)), undo && 'Z');
  undoable = undo ?? null;
}

/** Says why something was not done; `retry` tries again. */
export function failed(error, retry) {
  const text = [error.message, error.hint].filter(Boolean).join('\n');
  show('warn', text, true, 'Retry', typeof retry === 'function' ? retry : null);
}

/** Takes back the last change, while its toast is shown. */
export function undoLast() {
  const undo = undoable;
  if (!undo) return false;
  dismiss();
  takeBack(undo);
  return true;
}

function takeBack(undo) {
  undo().catch((error) => failed(error, error.isOffline ? () => takeBack(undo) : null));
}
