// Changes to one or several items: drawn at once where possible, sent, told with Undo.

import { api, inTurn, part } from './api.js';
import { find, words } from './dom.js';
import { refresh } from './refresh.js';
import { did, failed } from './toast.js';

/** Names several items in a sentence. */
export const named = (numbers) => (numbers.length === 1 ? `#${numbers[0]}` : `${numbers.length} items`);

/** Sets a field of items; `shown` is the value in words. A value that was typed may be a new name. */
export function setField(numbers, field, value, shown, isTyped = false) {
  const text = `${words(field === 'colour' ? 'color' : field)} of ${named(numbers)} ${value === '' ? 'removed' : `set to ${shown}`}`;
  return changed(numbers, text, { fields: { [field]: value }, create: isTyped }, (before) => ({ fields: { [field]: part(before, field) } }));
}

/** Adds a label to items, or removes it if all of them have it. One that was typed may be new. */
export async function toggleLabel(numbers, label, isTyped = false) {
  return attempt(async () => {
    const before = await Promise.all(numbers.map((number) => api('GET', `/items/${number}`)));
    const without = before.filter(({ labels }) => !labels.includes(label)).map(({ number }) => number);
    const [add, remove] = without.length ? [{ addLabels: [label], create: isTyped }, { removeLabels: [label] }] : [{ removeLabels: [label] }, { addLabels: [label] }];
    const touched = without.length ? without : numbers;
    await patch(touched, add);
    did(`Label ${label} ${without.length ? 'added to' : 'removed from'} ${named(touched)}`, () => patch(touched, remove).then(refresh), 'tag');
  });
}

const patch = (numbers, body) => api('PATCH', '/items', { items: numbers.map(String), ...body });

function changed(numbers, text, body, inverse) {
  return attempt(async () => {
    const before = await Promise.all(numbers.map((number) => api('GET', `/items/${number}`)));
    await patch(numbers, body);
    did(text, async () => {
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

/** Closes items, or reopens them if all are closed. */
export async function toggleClosed(numbers) {
  const done = find('.cards[data-status][data-closed], .column[data-closed]')?.dataset.status ?? 'done';
  return setField(numbers, 'status', done, words(done));
}

/** Deletes an item; Undo restores it. */
export function remove(number, title) {
  return attempt(async () => {
    await api('DELETE', `/items/${number}`);
    did(`Deleted #${number} ${title ?? ''}`.trim(), () => api('POST', `/items/${number}/reopen`).then(refresh), 'trash');
  });
}
