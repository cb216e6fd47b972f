// An item as a sheet over the page: the same markup as its own page.

import { all, element, find, icon } from './dom.js';
import { alsoRefresh, include, loadPage, morph } from './refresh.js';

let sheet = null;
let scrim = null;
let shown = null;
let origin = null;

export const isSheetOpen = () => sheet !== null;
/** The part of the document with the item in view: the sheet, or the page of an item. */
export const itemRoot = () => find('.item', sheet ?? document);

const withItem = (number) => {
  const address = new URL(location.href);
  if (number) address.searchParams.set('item', number);
  else address.searchParams.delete('item');
  return address;
};

/** Returns whether the sheet may show something else: a text that is not saved is not thrown away unasked. */
const mayLeave = () => !sheet || !find('[data-dirty]', sheet) || confirm('Leave without saving your text?');

export function openSheet(number, isHistory = true) {
  return String(number) === shown || mayLeave() ? show(String(number), isHistory) : null;
}

async function show(number, isHistory) {
  // Its own page shows the item already, and a phone has no room for a sheet beside it.
  if (!sheet) {
    origin = document.activeElement;
    build();
  }
  shown = number;
  if (isHistory) history.pushState({ item: shown }, '', withItem(shown));
  await fill();
  sheet?.focus();
}

function button(act, glyph, name) {
  return element('button', { type: 'button', className: 'icon-button', dataset: { act }, ariaLabel: name, title: name }, icon(glyph));
}

function build() {
  scrim = element('div', { className: 'scrim' });
  scrim.addEventListener('click', closeSheet);
  sheet = element('div', { className: 'sheet', role: 'dialog', tabIndex: -1, ariaModal: 'true', ariaLabel: 'Item' },
    element('div', { className: 'sheet-head' }, element('div', { className: 'crumb' }),
      button('previous-item', 'chev-u', 'Previous item'), button('next-item', 'chev-d', 'Next item'), button('copy-link', 'link', 'Copy the link'),
      element('a', { className: 'icon-button', ariaLabel: 'Open as a page', title: 'Open as a page' }, icon('expand')), button('close-sheet', 'close', 'Close')),
    element('div', { className: 'sheet-body' }));
  // Skeletons only if it takes a while.
  setTimeout(() => {
    const body = find('.sheet-body', sheet ?? document);
    if (body && !body.firstChild) body.append(...['wide', '', '', 'half'].map((kind) => element('div', { className: `skeleton ${kind}` })));
  }, 200);
  document.body.append(scrim, sheet);
  find('.app').inert = true;
}

async function fill() {
  const wanted = shown;
  const address = `/item/${encodeURIComponent(wanted)}`;
  // Before the item arrives, so that the link is one from the start.
  find('a[title="Open as a page"]', sheet).href = address;
  const fresh = await loadPage(address).catch((error) => error);
  if (!sheet || wanted !== shown) return;
  const body = find('.sheet-body', sheet);
  const old = find('.item', body);
  if (fresh instanceof Error) {
    // An item that is shown stays; it is refreshed when the connection is back.
    if (old?.dataset.number !== wanted) body.replaceChildren(notLoaded(fresh.message));
    return;
  }
  const item = find('.item', fresh) ?? find('.empty', fresh);
  if (old && old.dataset.number === item.dataset.number) morph(old, item);
  else body.replaceChildren(item);
  const crumb = find('#crumb', fresh);
  find('.crumb', sheet).replaceChildren(...crumb?.childNodes ?? [], find('#saved', fresh) ?? '');
  sheet.setAttribute('aria-label', fresh.title);
  include();
  document.dispatchEvent(new CustomEvent('item-shown'));
}

function notLoaded(text) {
  const retry = element('button', { type: 'button', className: 'button' }, 'Retry');
  retry.addEventListener('click', fill);
  return element('div', { className: 'empty', role: 'alert' }, element('div', {}, icon('warn', 'i'), element('h2', {}, 'This item was not loaded'), element('p', {}, text), retry));
}

export function closeSheet() {
  if (!sheet) return false;
  if (!mayLeave()) return true;
  const card = find(`.card[data-number="${CSS.escape(shown)}"]`);
  discard();
  history.pushState(null, '', withItem(null));
  (find('.card-title, .card-title-link', card ?? document.createElement('div')) ?? origin)?.focus?.({ preventScroll: true });
  return true;
}

function discard() {
  sheet.remove();
  scrim.remove();
  sheet = null;
  shown = null;
  find('.app').inert = false;
}

/** Opens the next or previous item of the page below. */
export function step(by) {
  const numbers = [...new Set(all('main [data-item]').map((link) => link.dataset.item))];
  const next = numbers[numbers.indexOf(shown) + by];
  if (next) openSheet(next);
}

alsoRefresh(async () => { if (sheet) await fill(); });

// A link to an item opens the sheet; with a modifier, another tab.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-item]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || find('main .item')) return;
  event.preventDefault();
  openSheet(link.dataset.item);
});

addEventListener('popstate', () => {
  const number = new URL(location.href).searchParams.get('item');
  if (sheet && number !== shown && !mayLeave()) history.pushState({ item: shown }, '', withItem(shown));
  else if (number) show(number, false);
  else if (sheet) discard();
});

export function openFromAddress() {
  const number = new URL(location.href).searchParams.get('item');
  if (number) openSheet(number, false);
}
