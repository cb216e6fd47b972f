// One toast at a time: what happened, with Undo or Retry.

import { announce, element, find, icon } from './dom.js';

const SHOWN_MS = 6000;
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
  find('#notices').append(box);
  current = box;
  if (!isFailure) wait(box);
}

function wait(box) {
  const start = () => { timer = setTimeout(dismiss, SHOWN_MS); };
  box.addEventListener('pointerenter', () => clearTimeout(timer));
  box.addEventListener('pointerleave', start);
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
  show(glyph, text, false, 'Undo', undo && (() => undo().catch(failed)), undo && 'Z');
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
  undo().catch(failed);
  return true;
}
