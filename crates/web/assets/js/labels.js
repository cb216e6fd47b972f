// The page of labels: colors are buttons, a declaration is sent at once.

import { api } from './api.js';
import { attempt } from './actions.js';
import { did } from './toast.js';
import { refresh } from './refresh.js';

const row = (button) => button.closest('[data-label]').dataset;

/** Gives a label a color; the color that it has already is taken away. */
export function setColor(button) {
  const { label, color: before = '' } = row(button);
  const { color } = button.dataset;
  const change = (value) => api('POST', '/labels', { name: label, color: value });
  return attempt(async () => {
    await change(color === before ? '' : color);
    did(`Color of ${label} changed`, () => change(before).then(refresh), 'tag');
  });
}

export function undeclare(button) {
  const { label, color = '', about = '' } = row(button);
  return attempt(async () => {
    await api('DELETE', `/labels/${encodeURIComponent(label)}`);
    did(`${label} is no longer declared`, () => api('POST', '/labels', { name: label, color, about }).then(refresh), 'tag');
  });
}
