// Changes to one or several items: drawn at once where possible, sent, told with Undo.

import { api, inTurn, part } from './api.js';
import { words } from './dom.js';
import { refresh } from './refresh.js';
import { did, failed } from './toast.js';

/** Names items in a sentence. */
const named = (items) => (items.length > 1 ? `${items.length} items` : nameOf(items[0]));

export const isWork = ({ kind }) => !['board', 'milestone'].includes(kind);

/** Names an item: boards and milestones are known by their titles. */
export const nameOf = (item) => (isWork(item) ? `#${item.number}` : item.title);

/** Sets a field of items; `shown` is the value in words. A value that was typed may be a new name. */
export function setField(numbers, field, value, shown, isTyped = false) {
  const name = words(field === 'colour' ? 'color' : field);
  const text = (items) => `${name} of ${named(items)} ${value === '' ? 'removed' : `set to ${shown}`}`;
  return change(numbers, text, { fields: { [field]: value }, create: isTyped }, (before) => ({ fields: { [field]: part(before, field) } }));
}

/** Closes items in the way of their workflows, or reopens them if all are closed. */
export function toggleClosed(numbers) {
  const isReopening = (items) => items.every(({ state }) => state === 'closed');
  const text = (items) => `${isReopening(items) ? 'Reopened' : 'Closed'} ${named(items)}`;
  return change(numbers, text, (items) => ({ fields: { status: isReopening(items) ? 'open' : 'closed' } }), ({ status }) => ({ fields: { status } }));
}

/** Adds a label to items, or removes it if all of them have it. One that was typed may be new. */
export async function toggleLabel(numbers, label, isTyped = false) {
  return attempt(async () => {
    const before = await read(numbers);
    const without = before.filter(({ labels }) => !labels.includes(label));
    const [add, remove] = without.length ? [{ addLabels: [label], create: isTyped }, { removeLabels: [label] }] : [{ removeLabels: [label] }, { addLabels: [label] }];
    const touched = without.length ? without : before;
    await patch(touched, add);
    did(`Label ${label} ${without.length ? 'added to' : 'removed from'} ${named(touched)}`, () => patch(touched, remove).then(refresh), 'tag');
  });
}

const read = (numbers) => Promise.all(numbers.map((number) => api('GET', `/items/${number}`)));
// As many as one request may change.
const MAX_ITEMS = 200;

async function patch(items, body) {
  for (let from = 0; from < items.length; from += MAX_ITEMS) {
    await api('PATCH', '/items', { items: items.slice(from, from + MAX_ITEMS).map(({ id }) => id), ...body });
  }
}

/** Changes items; `body` is the change, or makes it of the items, and `inverse` makes the one that undoes it for an item. */
function change(numbers, text, body, inverse) {
  return attempt(async () => {
    const before = await read(numbers);
    await patch(before, typeof body === 'function' ? body(before) : body);
    did(text(before), async () => {
      for (const item of before) await api('PATCH', `/items/${item.id}`, inverse(item));
      await refresh();
    });
  });
}

/** Runs a change in turn; a failure is told with Retry, and the page shows what is stored. */
export async function attempt(work) {
  try {
    return await inTurn(work);
  } catch (error) {
    failed(error, error.isOffline ? () => attempt(work) : null);
    return null;
  } finally {
    await refresh();
  }
}

/** Deletes several items; Undo restores them. */
export function removeAll(numbers) {
  return attempt(async () => {
    const items = await read(numbers);
    for (const { id } of items) await api('DELETE', `/items/${id}`);
    did(`Deleted ${named(items)}`, async () => {
      for (const { id } of items) await api('POST', `/items/${id}/reopen`);
      await refresh();
    }, 'trash');
  });
}

/** Deletes an item, by number or id; Undo restores it. */
export function remove(item, name) {
  return attempt(async () => {
    await api('DELETE', `/items/${item}`);
    did(`Deleted ${name}`, () => api('POST', `/items/${item}/reopen`).then(refresh), 'trash');
  });
}
