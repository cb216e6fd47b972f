// The Markdown editor: tools, completion of `#` and `@`, preview.

import { load } from './api.js';
import { optionsOf } from './choices.js';
import { element, find } from './dom.js';
import { pickItem } from './item.js';
import { itemRoot } from './sheet.js';
import { pick } from './picker.js';

const AROUND = { bold: ['**', '**'], italic: ['_', '_'], code: ['`', '`'], link: ['[', '](https:)'] };
const BEFORE = { list: '- ', tasks: '- [ ] ' };

/** Applies a tool to the text of a form. */
export function format(form, name, anchor) {
  const field = find('textarea', form);
  if (name === 'at' || name === 'hash') return mention(field, name === 'at' ? '@' : '#', anchor);
  const { selectionStart: from, selectionEnd: to, value } = field;
  const chosen = value.slice(from, to);
  if (AROUND[name]) {
    const [open, close] = AROUND[name];
    insert(field, `${open}${chosen}${close}`, from, to);
    field.setSelectionRange(from + open.length, from + open.length + chosen.length);
  } else insert(field, (chosen || '').split('\n').map((line) => BEFORE[name] + line).join('\n'), from, to);
  return null;
}

function insert(field, text, from, to) {
  field.focus();
  field.setRangeText(text, from, to, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

function mention(field, sign, anchor) {
  const at = field.selectionStart;
  const put = (text) => insert(field, `${text} `, at, at);
  if (sign === '#') return pickItem(anchor, 'Mention an item', ({ hint, value }) => put(hint || `#${value}`));
  const people = optionsOf('assignee').then((known) => known.filter(({ value }) => value));
  return pick({ anchor, title: 'Mention a person', options: people, pick: ({ text }) => put(`@${text.replaceAll(' ', '')}`) });
}

// Typing `#` or `@` at the start of a word opens the picker; the sign is typed first and replaced.
document.addEventListener('input', (event) => {
  const field = event.target;
  if (!field.matches('.editor textarea') || !['#', '@'].includes(event.data)) return;
  const at = field.selectionStart;
  if (at > 1 && !/\s/.test(field.value[at - 2])) return;
  field.setRangeText('', at - 1, at, 'end');
  mention(field, event.data, field);
});

/** Shows the text as it will be, or the editor again. */
export async function preview(button) {
  const form = button.closest('form');
  const field = find('textarea', form);
  const shown = find('.preview', form);
  if (shown) {
    shown.remove();
    field.hidden = false;
    field.focus();
  } else {
    const answer = await load(`/preview?item=${itemRoot()?.dataset.id ?? ''}`, { method: 'POST', headers: { 'content-type': 'text/plain; charset=utf-8' }, body: field.value });
    const made = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const box = element('div', { className: 'preview prose' });
    box.append(...made.body.childNodes);
    if (!box.firstChild) box.append(element('p', { className: 'quiet' }, 'Nothing to show'));
    field.hidden = true;
    field.before(box);
  }
  button.setAttribute('aria-pressed', String(!shown));
}
