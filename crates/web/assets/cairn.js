// The interactive parts of the pages: moving cards, editing, and live updates.
//
// The server's HTML is the source of truth. After every change, local or remote, the page is fetched again and the
// differences are applied to the DOM; nothing is rendered here. All changes go through the JSON API.

const find = (selector, from = document) => from.querySelector(selector);
const mayWrite = document.body.dataset.role !== 'reader';
document.documentElement.classList.add('scripted');

// ---- Notices

/** Announces a text to screen readers. */
function announce(text) {
  find('#announcer').textContent = text;
}

/** Shows a notice until it is dismissed. */
function notify(text) {
  const notice = element('div', { className: 'notice' }, element('span', {}, text));
  const close = element('button', { type: 'button', ariaLabel: 'Put away' }, '×');
  close.addEventListener('click', () => notice.remove());
  notice.append(close);
  const notices = find('#notices');
  notices.append(notice);
  if (notices.children.length > 3) notices.firstChild.remove();
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function told(error) {
  notify([error.message, error.hint].filter(Boolean).join('\n'));
}

// ---- The API

async function api(method, path, body, revision) {
  const headers = { accept: 'application/json' };
  if (body) headers['content-type'] = 'application/json';
  if (revision) headers['if-match'] = `"${revision}"`;
  const answer = await fetch(`/api${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  const problem = await answer.json().catch(() => ({}));
  const message = answer.status === 401
    ? 'You are signed out. Sign in in another tab, then try again.'
    : problem.detail || problem.title || `The server said ${answer.status}.`;
  throw Object.assign(new Error(message), { status: answer.status, hint: problem.hint });
}

/** Changes a field or a comment of an item that was last read at `revision`, with the value `original`.
 *
 *  A revision covers the whole item, so any other change is a conflict too; then the change is retried. Only if the
 *  same field changed does the user have to decide. */
async function save(number, field, value, revision, original) {
  const home = `/items/${number}`;
  const change = field.startsWith('comments/') ? [`${home}/${field}`, { text: value }] : [home, { fields: { [field]: value } }];
  for (let n_tries = 0; ; n_tries += 1) {
    try {
      return await api('PATCH', ...change, revision);
    } catch (error) {
      if (error.status !== 412 || n_tries === 5) throw error;
      const now = await api('GET', home);
      if (plain(part(now, field)) !== plain(original)) throw Object.assign(error, { now });
      revision = now.revision;
    }
  }
}

/** Returns the value of a field or the text of a comment. */
function part(item, field) {
  const value = item.comments?.find(({ id }) => field === `comments/${id}`)?.body ?? item[field];
  return (value?.id ?? value ?? '').toString();
}

let turn = Promise.resolve();

/** Serializes changes, so that each uses the revision of the previous one. */
function inTurn(work) {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

const plain = (text) => text.replace(/\r\n?/g, '\n').trimEnd();

// ---- Refreshing the page

let isStale = false;
let renewing = null;
// While a card is dragged, or a move is being saved, the page is not refreshed.
let nHolds = 0;

/** Fetches the page again until it is up to date. */
function refresh() {
  isStale = true;
  renewing ??= renew().finally(() => { renewing = null; });
  return renewing;
}

async function renew() {
  while (isStale && nHolds === 0) {
    isStale = false;
    const fresh = await page(location.href);
    // A busy server is retried; an unreachable one is retried once it is back.
    if (!fresh && events.readyState === EventSource.OPEN) setTimeout(refresh, 2000);
    // A login page or the error page of a proxy must not replace the content.
    if (!fresh || !find('#announcer', fresh)) return;
    if (nHolds > 0) {
      isStale = true;
      return;
    }
    const focus = rememberFocus();
    document.title = fresh.title;
    document.body.dataset.state = fresh.body.dataset.state;
    morph(find('main'), find('main', fresh));
    focus();
    include();
    // Throttle: a few refreshes per second are enough.
    if (isStale) await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
}

/** Loads the parts that take the server longer than a page should. */
async function include() {
  for (const part of document.querySelectorAll('[data-include]:not([data-included])')) {
    part.dataset.included = 'yes';
    const found = find('#included', await page(part.dataset.include) ?? document);
    if (found) part.replaceChildren(...found.childNodes);
  }
}

include();

/** Fetches a page; null if the server is unreachable or busy. */
async function page(address) {
  try {
    const answer = await fetch(address, { headers: { accept: 'text/html' } });
    if (answer.status === 429 || answer.status >= 500) return null;
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  } catch {
    return null;
  }
}

function release() {
  nHolds -= 1;
  return refresh();
}

/** Updates an element to match a new one, and keeps what the user is editing. */
function morph(old, fresh) {
  if (isBusy(old) || (old.dataset?.include && old.dataset.include === fresh.dataset.include)) return;
  for (const { name } of [...old.attributes]) {
    // Whether a section is open is up to the user.
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && name !== 'open') old.setAttribute(name, value);
  }
  morphChildren(old, fresh);
  if ('value' in fresh && 'form' in fresh && old.value !== fresh.value) old.value = fresh.value;
}

function isBusy(node) {
  const active = document.activeElement;
  if (node.matches('form:not([data-query])')) return node.hasAttribute('data-dirty') || node.contains(active);
  return node.hasAttribute('data-dirty') || (node === active && node.matches('[data-field]'));
}

function morphChildren(old, fresh) {
  const wanted = new Set([...fresh.children].map((child) => child.id).filter(Boolean));
  // Remove first: then no remaining element has to be moved, and a focused input keeps its cursor.
  for (const child of [...old.children]) {
    if (child.id && !wanted.has(child.id)) child.remove();
  }
  let place = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const own = node.id ? document.getElementById(node.id) : place;
    if (!own || own.nodeName !== node.nodeName || (own.id || '') !== (node.id || '')) {
      if (node.matches?.('.card')) node.classList.add('moved');
      old.insertBefore(node, place);
      continue;
    }
    if (own === place) place = place.nextSibling;
    else old.insertBefore(own, place);
    if (own.nodeType === Node.ELEMENT_NODE) morph(own, node);
    else if (own.data !== node.data) own.data = node.data;
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

const FOCUSABLE = 'a, button, input, select, textarea, summary';

/** Saves the focus by name and position rather than by node. */
function rememberFocus() {
  const active = document.activeElement;
  const home = active?.closest('[id]');
  if (!home || active === document.body) return () => {};
  const place = [...home.querySelectorAll(FOCUSABLE)].indexOf(active);
  return () => {
    if (document.activeElement !== document.body) return;
    const again = document.getElementById(home.id);
    const same = place < 0 ? again : again?.querySelectorAll(FOCUSABLE)[place];
    (same ?? find('main')).focus({ preventScroll: true });
  };
}

// ---- Live updates

const LONGEST_WAIT = 15_000;
let events = null;
let nFailures = 0;
let timer = 0;

function listen() {
  clearTimeout(timer);
  events?.close();
  events = new EventSource('/api/events');
  events.addEventListener('open', () => {
    nFailures = 0;
    find('#connection').hidden = true;
  });
  events.addEventListener('state', heard);
  events.addEventListener('change', heard);
  events.addEventListener('error', () => {
    events.close();
    find('#connection').hidden = false;
    // Random jitter, so that not all browsers reconnect at the same moment after a restart.
    const wait = Math.min(LONGEST_WAIT, 500 * 2 ** nFailures) * (0.75 + Math.random() / 2);
    nFailures += 1;
    timer = setTimeout(listen, wait);
    api('GET', '/project').catch(({ status, message }) => {
      find('#connection').textContent = status === 401 ? message : 'Reconnecting…';
    });
  });
}

/** Refreshes the page, unless it already shows this state. The state does not include the inbox. */
function heard({ data }) {
  const { state, inbox } = JSON.parse(data);
  if (state !== document.body.dataset.state || inbox || find('.review')) refresh();
}

// A browser has few connections per host, and a hidden tab needs none.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) listen();
  else {
    clearTimeout(timer);
    events?.close();
  }
});
addEventListener('online', listen);
// Leaving the page closes the connection, which must not be shown as a failure.
addEventListener('pagehide', () => events?.close());
// A page restored from the back-forward cache has no connection.
addEventListener('pageshow', (event) => event.persisted && listen());
if (!document.hidden) listen();

// ---- Links that only change the view: filters, longer columns

function go(address) {
  history.pushState(null, '', address);
  return refresh();
}

addEventListener('popstate', refresh);
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-query]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.href);
});

// ---- Boards

const columnOf = (card) => card.closest('.column');

async function move(card, column) {
  const { number, status } = card.dataset;
  const target = column?.dataset.status;
  if (!mayWrite || !target || target === status) return;
  nHolds += 1;
  find('.cards', column).append(card);
  card.dataset.status = target;
  focusOn(card);
  await inTurn(async () => {
    try {
      const saved = await save(number, 'status', target, card.dataset.revision, status);
      card.dataset.revision = saved.revision;
      announce(`#${number} moved to ${column.dataset.title}`);
    } catch (error) {
      if (error.now) notify(`#${number} stays: someone else moved it to ${error.now.status} first.`);
      else told(error);
    }
  });
  await release();
  // Unless the user has moved the focus meanwhile.
  const moved = document.getElementById(card.id);
  if (moved?.contains(document.activeElement)) focusOn(moved);
}

function focusOn(card) {
  find('.card-title', card ?? document)?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

let lifted = null;
document.addEventListener('dragstart', (event) => {
  lifted = event.target.closest?.('.card');
  if (!lifted) return;
  nHolds += 1;
  event.dataTransfer.effectAllowed = 'move';
  event.dataTransfer.setData('text/plain', `#${lifted.dataset.number}`);
  lifted.classList.add('lifted');
});
document.addEventListener('dragover', (event) => {
  const column = lifted && event.target.closest('.column');
  for (const other of document.querySelectorAll('.over')) if (other !== column) other.classList.remove('over');
  if (!column) return;
  event.preventDefault();
  column.classList.add('over');
});
document.addEventListener('drop', (event) => {
  const column = event.target.closest('.column');
  if (!lifted || !column) return;
  event.preventDefault();
  move(lifted, column);
});
document.addEventListener('dragend', () => {
  if (!lifted) return;
  lifted.classList.remove('lifted');
  find('.over')?.classList.remove('over');
  lifted = null;
  release();
});

document.addEventListener('keydown', (event) => {
  const card = event.target.closest('.card');
  if (!card || event.ctrlKey !== event.altKey || event.metaKey) return;
  const column = columnOf(card);
  const act = {
    '[': () => move(card, column.previousElementSibling),
    ']': () => move(card, column.nextElementSibling),
    ArrowUp: () => card.previousElementSibling && focusOn(card.previousElementSibling),
    ArrowDown: () => card.nextElementSibling && focusOn(card.nextElementSibling),
    ArrowLeft: () => aside(card, 'previousElementSibling', event.shiftKey),
    ArrowRight: () => aside(card, 'nextElementSibling', event.shiftKey),
    n: () => find('.quick input', column)?.focus(),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

/** Moves the focus, or with Shift the card, to the next column on one side; the focus skips empty ones. */
function aside(card, side, isMove) {
  const column = columnOf(card);
  if (isMove) return move(card, column[side]);
  const row = [...card.parentNode.children].indexOf(card);
  for (let other = column[side]; other; other = other[side]) {
    const cards = other.querySelectorAll('.card');
    if (cards.length) return focusOn(cards[Math.min(row, cards.length - 1)]);
  }
}

// ---- Clicks

const CLICKS = {
  move: (button) => {
    const dialog = find('#move');
    dialog.returnValue = '';
    dialog.onclose = () => {
      const card = document.getElementById(`card-${button.dataset.move}`);
      const columns = [...document.querySelectorAll('.column')];
      if (card) move(card, columns.find((column) => column.dataset.status === dialog.returnValue));
    };
    find('#move-title').textContent = `Move #${button.dataset.move} to`;
    dialog.showModal();
  },
  unlabel: (button) => change({ removeLabels: [button.dataset.unlabel] }),
  unlink: (button) => link('DELETE', { kind: button.dataset.unlink, to: button.dataset.to }),
  cancel: (button) => leave(button.form),
  delete: async (button) => {
    if (!button.dataset.sure) {
      button.dataset.sure = 'yes';
      button.textContent = 'Really delete it?';
      return;
    }
    await api('DELETE', `/items/${button.dataset.delete}`);
    location.assign('/backlog');
  },
};

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[type=button]');
  const name = button && Object.keys(CLICKS).find((known) => known in button.dataset);
  if (name) inTurn(() => CLICKS[name](button)).catch(told);
});

// ---- One item

const item = () => find('.item').dataset;

/** Adds or removes a link. `blocked by` is stored as a link of the other item. */
async function link(method, { kind, to }) {
  const other = encodeURIComponent(to.trim().replace(/^#/, ''));
  if (kind === 'blocked_by') await api(method, `/items/${other}/links`, { kind: 'blocks', to: item().id });
  else await api(method, `/items/${item().id}/links`, { kind, to });
  await refresh();
}

async function change(body) {
  await api('PATCH', `/items/${item().id}`, body);
  await refresh();
}

document.addEventListener('change', ({ target }) => {
  const { field, original } = target.dataset;
  if (!field) return;
  const before = original ?? find('option[selected]', target)?.value ?? target.defaultValue ?? '';
  const { value } = target;
  // From here on the page may be refreshed.
  target.blur();
  inTurn(async () => {
    try {
      await save(item().id, field, value, item().revision, before);
      announce(`${target.ariaLabel} changed`);
    } catch (error) {
      if (error.now) notify(`Someone else changed this first; it is “${part(error.now, field) || 'none'}” now.`);
      else told(error);
    }
    await refresh();
  });
});

/** Closes an edit form. */
function leave(form) {
  form.reset();
  form.removeAttribute('data-dirty');
  find('.conflict', form)?.replaceChildren();
  const fold = form.closest('details');
  if (fold) {
    fold.open = false;
    find('summary', fold).focus();
  }
  return refresh();
}

/** Shows the conflicting change, keeps the typed text, and lets the user choose. */
async function decide(form, field, now) {
  const log = await api('GET', `/items/${item().id}/history`);
  const news = log.operations.slice(Number(form.dataset.seen));
  const mine = element('button', { type: 'submit' }, 'Save mine all the same');
  const theirs = element('button', { type: 'button' }, 'Take what is there');
  theirs.addEventListener('click', () => leave(form));
  find('.conflict', form).replaceChildren(
    element('p', {}, 'This changed while you were writing. Your text is kept.'),
    element('ul', {}, ...news.map((op) => element('li', {}, `${op.by}: ${op.text}`))),
    element('p', {}, 'It says now:'),
    element('pre', {}, part(now, field)),
    element('div', { className: 'choices' }, mine, theirs),
  );
  Object.assign(form.dataset, { revision: now.revision, original: part(now, field), seen: log.operations.length });
}

const SUBMITS = {
  query: (form) => go(`${form.action}?${new URLSearchParams(new FormData(form))}`),
  new: async (form, { title, kind = form.dataset.kind }) => {
    const board = find('.columns')?.dataset.board;
    const fields = {};
    if (form.dataset.new) fields.status = form.dataset.new;
    if (board) fields.board = board;
    const made = await api('POST', '/items', { kind, title, fields });
    form.reset();
    announce(`#${made.number} ${made.title} made`);
  },
  comment: async (form, { text }) => {
    await api('POST', `/items/${item().id}/comments`, { text });
    form.reset();
    announce('Comment added');
  },
  label: async (form, { label }) => {
    await api('PATCH', `/items/${item().id}`, { addLabels: [label] });
    form.reset();
  },
  link: async (form, values) => {
    await link('POST', values);
    form.reset();
  },
  save: async (form, values) => {
    const { save: field, revision, original } = form.dataset;
    try {
      await save(item().id, field, Object.values(values)[0], revision, original);
    } catch (error) {
      if (!error.now) throw error;
      return decide(form, field, error.now).then(() => 'kept');
    }
    announce('Saved');
    await leave(form);
  },
  message: async (form, values) => {
    await api('POST', '/inbox', Object.fromEntries(Object.entries(values).filter(([, value]) => value)));
    form.reset();
    announce('Message sent');
  },
  reply: async (form, { text, resolves }) => {
    await api('POST', `/inbox/${form.dataset.reply}/replies`, { text, resolves: Boolean(resolves) });
    announce(resolves ? 'Settled' : 'Answered');
    await leave(form);
  },
};

document.addEventListener('submit', async (event) => {
  const form = event.target;
  const name = Object.keys(SUBMITS).find((known) => known in form.dataset);
  if (!name) return;
  event.preventDefault();
  // Keep the typed text until the server has saved it; a second Enter must not send it twice.
  if (form.dataset.sending) return;
  form.dataset.sending = 'yes';
  const values = Object.fromEntries(new FormData(form, event.submitter));
  try {
    await inTurn(async () => {
      if (await SUBMITS[name](form, values) === 'kept') return;
      form.removeAttribute('data-dirty');
      await refresh();
    });
  } catch (error) {
    told(error);
  } finally {
    delete form.dataset.sending;
  }
});

document.addEventListener('input', ({ target: { form } }) => {
  const isChanged = (control) => 'defaultValue' in control && control.value !== control.defaultValue;
  form?.toggleAttribute('data-dirty', [...form.elements].some(isChanged));
});

document.addEventListener('keydown', (event) => {
  const form = event.target.closest('form');
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.matches('textarea')) form.requestSubmit();
  if (event.key === 'Escape' && form?.matches('.edit form:not([data-dirty])')) leave(form);
});

addEventListener('beforeunload', (event) => {
  if (find(':is([data-save], [data-comment], [data-reply], [data-message])[data-dirty]')) event.preventDefault();
});
