// Files of an item: chosen, pasted or dropped, uploaded, and named in the text that is being written.

import { api, load, upload } from './api.js';
import { attempt } from './actions.js';
import { element, find } from './dom.js';
import { item, showSaved } from './item.js';
import { itemRoot } from './sheet.js';
import { refresh } from './refresh.js';
import { did, failed } from './toast.js';

const MAX_BYTES = 10 * 1024 * 1024;
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Opens the file dialog of the browser. */
export function attach(button) {
  const input = element('input', { type: 'file', multiple: true });
  input.addEventListener('change', () => send([...input.files], find('textarea', button.closest('form.editor') ?? document.createElement('p'))));
  input.click();
}

export function detach({ dataset: { id, name } }) {
  return attempt(async () => {
    const home = `/items/${item().id}`;
    // Undo sends it again, so its content is read first.
    const content = await load(`/api${home}/attachments/${id}`).then((answer) => (answer.ok ? answer.blob() : null));
    await api('DELETE', `${home}/attachments/${id}`);
    did(`Removed ${name}`, content && (async () => {
      const again = await upload(`${home}/attachments?name=${encodeURIComponent(name)}`, content);
      await rename(home, `attachment:${id}`, `attachment:${again.attachments.at(-1).id}`);
      await refresh();
    }), 'attachment');
  });
}

/** Puts the new name of an attachment into the texts that show it. */
async function rename(home, before, after) {
  const { description, comments } = await api('GET', home);
  if (description.includes(before)) await api('PATCH', home, { fields: { description: description.replaceAll(before, after) } });
  for (const { id, body } of comments ?? []) {
    if (body.includes(before)) await api('PATCH', `${home}/comments/${id}`, { text: body.replaceAll(before, after) });
  }
}

/** Uploads files; with a field, the text names them where the cursor is. */
async function send(files, field) {
  for (const file of files) {
    if (file.size > MAX_BYTES) {
      failed(new Error(`${file.name} is larger than 10 MiB.`));
      continue;
    }
    const mark = field && placeholder(field, file);
    try {
      const made = await upload(`/items/${item().id}/attachments?name=${encodeURIComponent(file.name)}`, file);
      const { id } = made.attachments.at(-1);
      const sign = IMAGES.includes(file.type) ? '!' : '';
      mark?.(`${sign}[${file.name}](attachment:${id})`);
      did(`Attached ${file.name}`, () => api('DELETE', `/items/${item().id}/attachments/${id}`).then(refresh), 'attachment');
      showSaved();
    } catch (error) {
      mark?.('');
      failed(error, error.isOffline ? () => send([file], field) : null);
    }
  }
  await refresh();
}

/** Shows in the text that a file is being sent; returns a function that replaces the note. */
function placeholder(field, { name }) {
  const note = `[sending ${name}…]`;
  put(field, note, field.selectionStart, field.selectionEnd);
  return (text) => {
    const at = field.value.indexOf(note);
    if (at >= 0) put(field, text, at, at + note.length);
  };
}

function put(field, text, from, to) {
  field.setRangeText(text, from, to, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

// Only files are taken. A picture that an application copies has no useful name.
const named = (file) => (file.name && file.name !== 'image.png' ? file : new File([file], `picture-${Date.now().toString(36)}.png`, { type: file.type }));
const filesOf = (transfer) => [...(transfer?.files ?? [])].map(named);

document.addEventListener('paste', (event) => {
  const files = filesOf(event.clipboardData);
  const field = event.target.closest?.('.editor textarea');
  if (!files.length || !field || !itemRoot()) return;
  event.preventDefault();
  send(files, field);
});

const isDrop = (event) => event.dataTransfer?.types.includes('Files') && event.target.closest?.('.item.may-edit');

document.addEventListener('dragover', (event) => {
  if (!isDrop(event)) return;
  event.preventDefault();
  event.target.closest('.item').classList.add('dropping');
});
for (const name of ['dragleave', 'drop']) document.addEventListener(name, () => find('.item.dropping')?.classList.remove('dropping'));
document.addEventListener('drop', (event) => {
  if (!isDrop(event)) return;
  event.preventDefault();
  send(filesOf(event.dataTransfer), event.target.closest('.editor textarea'));
});
