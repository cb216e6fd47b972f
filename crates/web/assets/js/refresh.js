// The server's HTML is the source of truth. After every change, local or remote, the page is fetched again and the
// differences are applied to the DOM.

import { SIGNED_OUT, load } from './api.js';
import { all, find } from './dom.js';
import { failed } from './toast.js';

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30000;

let isStale = false;
let renewing = null;
let retryMs = FIRST_RETRY_MS;
let retry = 0;
// While a card is dragged, or a move is being saved, the page is not refreshed.
let nHolds = 0;
const sheets = [];

export const hold = () => { nHolds += 1; };
export function release() {
  nHolds -= 1;
  return refresh();
}

/** Registers another part of the page to refresh: a function that fetches and updates it. */
export const alsoRefresh = (work) => sheets.push(work);

/** Fetches the page again until it is up to date. */
export function refresh() {
  isStale = true;
  renewing ??= renew().finally(() => {
    renewing = null;
    // Asked for between the last look at `isStale` and here.
    if (isStale && nHolds === 0) refresh();
  });
  return renewing;
}

async function renew() {
  while (isStale && nHolds === 0) {
    isStale = false;
    clearTimeout(retry);
    const fresh = await page(location.href);
    if (!fresh) {
      // A busy server may have no further event for this page, which would stay as it was before the change.
      retry = setTimeout(refresh, retryMs);
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
      return;
    }
    retryMs = FIRST_RETRY_MS;
    if (nHolds > 0) {
      isStale = true;
      return;
    }
    apply(fresh);
    for (const work of sheets) await work();
    // Throttle: a few refreshes per second are enough.
    if (isStale) await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
}

function apply(fresh) {
  const focus = rememberFocus();
  document.title = fresh.title;
  document.body.dataset.state = fresh.body.dataset.state;
  morph(find('main'), find('main', fresh));
  morph(find('.rail'), find('.rail', fresh));
  focus();
  include();
  document.dispatchEvent(new CustomEvent('refreshed'));
}

/** Loads the parts that take the server longer than a page should. */
export async function include() {
  for (const part of all('[data-include]:not([data-included])')) {
    part.dataset.included = 'yes';
    const found = find('#included', await page(part.dataset.include) ?? document);
    if (found) part.replaceChildren(...found.childNodes);
    else part.dataset.included = 'no';
  }
}

/** Fetches a page; the error says why there is none. A login page or the error page of a proxy must not replace the content. */
export async function loadPage(address) {
  const answer = await load(address, { headers: { accept: 'text/html' } });
  const made = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (!find('#announcer', made)) throw new Error(SIGNED_OUT);
  return made;
}

/** Fetches a page; null without one. */
export const page = (address) => loadPage(address).catch(() => null);

// What the script adds and the server does not know.
const OWN_CLASSES = ['selected', 'open'];
const OWN_ATTRIBUTES = ['open', 'hidden', 'aria-pressed', 'aria-expanded', 'data-included', 'data-dirty'];

// Forms and folders are hidden by the script, buttons by the server.
const isOwn = (element, name) => OWN_ATTRIBUTES.includes(name) && !(name === 'hidden' && element.matches('button'));

/** Updates an element to match a new one, and keeps what the user is editing. */
export function morph(old, fresh) {
  if (!old || !fresh) return;
  if (isBusy(old) || (old.dataset?.include && old.dataset.include === fresh.dataset.include)) return;
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isOwn(old, name)) old.removeAttribute(name);
  }
  const kept = OWN_CLASSES.filter((name) => old.classList.contains(name));
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !isOwn(old, name)) old.setAttribute(name, value);
  }
  if (kept.length) old.classList.add(...kept);
  morphChildren(old, fresh);
  if ('value' in fresh && 'form' in fresh && !fresh.matches('button') && old.value !== fresh.value) old.value = fresh.value;
}

function isBusy(node) {
  if (!node.matches) return false;
  const active = document.activeElement;
  if (node.matches('form:not([data-query])')) return node.hasAttribute('data-dirty') || node.contains(active);
  return node.hasAttribute('data-dirty');
}

function morphChildren(old, fresh) {
  const wanted = new Set([...fresh.children].map((child) => child.id).filter(Boolean));
  // Remove first: then no remaining element has to be moved, and a focused input keeps its cursor.
  for (const child of [...old.children]) {
    if (child.id && !wanted.has(child.id)) child.remove();
  }
  const root = old.getRootNode();
  let place = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const own = node.id ? root.getElementById(node.id) : place;
    if (!own || own.nodeName !== node.nodeName || (own.id || '') !== (node.id || '')) {
      if (node.matches?.('.card')) node.classList.add('changed');
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
  const place = all(FOCUSABLE, home).indexOf(active);
  return () => {
    if (document.activeElement !== document.body) return;
    const again = document.getElementById(home.id);
    const same = place < 0 ? again : again && all(FOCUSABLE, again)[place];
    (same ?? find('main')).focus({ preventScroll: true });
  };
}

/** Shows another view of the same page: a filter, a longer column. An invalid filter keeps the last valid result. */
export async function go(address) {
  let fresh;
  try {
    fresh = await loadPage(address);
  } catch (error) {
    failed(error, () => go(address));
    return;
  }
  const mistake = find('#filter-error', fresh);
  find('#filter-error')?.remove();
  if (mistake) {
    find('#find').setAttribute('aria-invalid', 'true');
    find('#filters').after(mistake);
    for (const part of all('.board, .page')) part.classList.add('stale-result');
    return;
  }
  history.pushState(null, '', address);
  const input = find('#find');
  if (input) input.value = '';
  await refresh();
}

addEventListener('popstate', refresh);
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-query]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  link.closest('details.menu')?.removeAttribute('open');
  go(link.href);
});
