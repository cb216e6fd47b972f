// Forms: what is typed is kept until the server has stored it, and a second Enter does not send it twice.

import { api, inTurn } from './api.js';
import { find } from './dom.js';
import { item, leave, saveText } from './item.js';
import { go, hold, refresh, release } from './refresh.js';
import { did, failed } from './toast.js';

// The message that was sent before its page was opened.
const SENT = 'sent-message';

/** Says that a message was sent, on its page. Undo works until somebody has got it. */
export function tellSent() {
  const id = sessionStorage.getItem(SENT);
  sessionStorage.removeItem(SENT);
  if (id) did('Message sent', () => api('DELETE', `/inbox/${id}`).then(() => location.assign('/review')), 'comment');
}

const boardNumber = () => find('[data-board]')?.dataset.board;

const SUBMITS = {
  query: (form) => go(`${form.action}?${new URLSearchParams(new FormData(form))}`),
  new: async (form, { title, kind = form.dataset.kind ?? 'task' }) => {
    const fields = {};
    if (form.dataset.new) fields.status = form.dataset.new;
    const board = form.dataset.board ?? boardNumber();
    if (board) fields.board = board;
    if (form.dataset.parent) fields.parent = form.dataset.parent;
    // It belongs where it was made, on top of its column, and is shown nowhere else before.
    hold();
    const made = await api('POST', '/items', { kind, title: title.trim(), fields }).then(async (one) => {
      if (form.matches('.new-card')) await api('POST', `/items/${one.id}/move`, { to: 'top' });
      return one;
    }).finally(() => { release(); });
    // Unless the next title is being typed. Sent line breaks have two characters.
    if (form.elements.title.value === title.replaceAll('\r\n', '\n')) form.reset();
    did(`Created #${made.number} ${made.title}`, () => api('DELETE', `/items/${made.id}`).then(refresh), 'plus');
  },
  comment: async (form, { text }) => {
    const { id, comments } = await api('POST', `/items/${item().id}/comments`, { text });
    form.reset();
    const made = comments.at(-1).id;
    did('Comment added', () => api('DELETE', `/items/${id}/comments/${made}`).then(refresh), 'comment');
  },
  save: saveText,
  declare: async (form, { name, about }) => {
    await api('POST', '/labels', { name, about });
    form.reset();
    did(`Declared ${name}`, () => api('DELETE', `/labels/${encodeURIComponent(name)}`).then(refresh), 'tag');
  },
  message: async (form, values) => {
    const made = await api('POST', '/inbox', Object.fromEntries(Object.entries(values).filter(([, value]) => value)));
    form.reset();
    form.removeAttribute('data-dirty');
    sessionStorage.setItem(SENT, made.id);
    location.assign(`/review?message=${made.id}`);
  },
  reply: async (form, { text, resolves }) => {
    const path = `/inbox/${form.dataset.reply}/replies`;
    const { replies } = await api('POST', path, { text, resolves: Boolean(resolves) });
    const made = replies.at(-1).id;
    did(resolves ? 'Remark resolved' : 'Answer sent', () => api('DELETE', `${path}/${made}`).then(refresh));
    form.reset();
  },
};

async function submit(form, submitter) {
  const name = Object.keys(SUBMITS).find((known) => known in form.dataset);
  if (form.dataset.sending) return;
  form.dataset.sending = 'yes';
  const values = Object.fromEntries(new FormData(form, submitter));
  try {
    await inTurn(async () => {
      try {
        if (await SUBMITS[name](form, values) === 'kept' || name === 'query') return;
      } finally {
        // Before the page is up to date: whoever types fast has the next one ready by then.
        delete form.dataset.sending;
      }
      form.toggleAttribute('data-dirty', name === 'new' && form.elements.title.value !== '');
      await refresh();
    });
  } catch (error) {
    failed(error, error.isOffline ? () => submit(form, submitter) : null);
  }
}

document.addEventListener('submit', (event) => {
  if (!Object.keys(SUBMITS).some((known) => known in event.target.dataset)) return;
  event.preventDefault();
  submit(event.target, event.submitter);
});

document.addEventListener('input', ({ target: { form } }) => {
  const isChanged = (control) => 'defaultValue' in control && control.type !== 'radio' && control.value !== control.defaultValue;
  form?.toggleAttribute('data-dirty', [...form.elements].some(isChanged));
});

document.addEventListener('keydown', (event) => {
  const form = event.target.closest?.('form');
  if (!form) return;
  const isLine = event.target.matches('.new-card textarea, .editing-title');
  if (event.key === 'Enter' && event.target.matches('textarea') && (event.ctrlKey || event.metaKey || (isLine && !event.shiftKey))) {
    event.preventDefault();
    form.requestSubmit();
  }
  if (event.key !== 'Escape') return;
  if (form.matches('.edit-form:not([data-dirty])')) leave(form);
  else if (form.matches('.new-card')) form.classList.remove('open');
  else return;
  // The sheet around the form stays open.
  event.stopImmediatePropagation();
});

addEventListener('beforeunload', (event) => {
  if (find(':is([data-save], [data-comment], [data-reply], [data-message])[data-dirty]')) event.preventDefault();
});
