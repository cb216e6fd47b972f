// Cards on a board: moving by key and menu, going from card to card, folding columns.

import { api, inTurn } from './api.js';
import { all, find, mayWrite, preferWith } from './dom.js';
import { hold, refresh, release } from './refresh.js';
import { did, failed } from './toast.js';

export const numberOf = (card) => Number(card.dataset.number);
const titleLink = (card) => find('.card-title, .card-title-link', card);

/** The lists of cards, from left to right and from top to bottom. */
export const lists = () => all('.cards, .cards-list');

export function focusOn(card, isKey = true) {
  if (!card) return;
  titleLink(card)?.focus({ preventScroll: true });
  if (isKey) card.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** Where a card lies: enough to put it back. */
function placeOf(card) {
  const list = card.parentNode;
  return { list, next: card.nextElementSibling, status: card.dataset.status, lane: list.dataset.lane };
}

const isRanked = (list) => list.closest('[data-sort]')?.dataset.sort === 'rank' && !list.closest('[data-closed]');

/** Returns the request for a move. */
function request(card, list, next) {
  const body = { fields: {} };
  if (list.dataset.status && list.dataset.status !== card.dataset.status) body.fields.status = list.dataset.status;
  const group = list.closest('[data-group]')?.dataset.group;
  if (group && list.dataset.lane !== undefined && list.dataset.lane !== card.parentNode?.dataset.lane) body.fields[group] = list.dataset.lane;
  if (isRanked(list)) {
    const last = all('.card', list).filter((other) => other !== card).at(-1);
    if (next) body.before = next.dataset.number;
    else if (last) body.after = last.dataset.number;
  }
  return body;
}

/** Waits for the next frame; a hidden page draws none. */
const painted = () => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, 100);
});

/** Moves cards into a list, before another card or to its end. */
export async function moveTo(cards, list, next = null, isKey = false) {
  if (!mayWrite || !list || !cards.length) return;
  const before = cards.map((card) => ({ card, ...placeOf(card) }));
  const requests = cards.map((card) => [card, request(card, list, next)]);
  const isChange = requests.some(([card, body]) => Object.keys(body.fields).length || ((body.before || body.after) && card.nextElementSibling !== next));
  if (!isChange) return;
  hold();
  for (const card of cards) {
    list.insertBefore(card, next);
    if (list.dataset.status) card.dataset.status = list.dataset.status;
  }
  // The frame with the card comes first: to set the focus computes the layout, and the request keeps a processor busy. The
  // next key needs the focus at once.
  if (!isKey) await painted();
  focusOn(cards[0], isKey);
  const isSaved = await inTurn(() => send(requests)).catch((error) => {
    for (const { card, list: home, next: place, status } of before) {
      home.insertBefore(card, place?.isConnected ? place : null);
      card.dataset.status = status;
    }
    if (error.now) failed(new Error(`#${error.number} stays: someone else moved it to ${error.now.status} first.`));
    else failed(error, error.isOffline ? () => moveTo(cards, list, next, isKey) : null);
    return false;
  });
  if (isSaved !== false) tell(cards, list, before);
  await release();
  const moved = document.getElementById(cards[0].id);
  // Unless the user has moved the focus meanwhile.
  if (moved?.contains(document.activeElement) || document.activeElement === document.body) focusOn(moved, isKey);
}

async function send(requests) {
  for (const [card, body] of requests) {
    const saved = await sendOne(card, body);
    card.dataset.revision = saved.revision;
  }
}

// A revision covers the whole item. Only a status that someone else set meanwhile stops a move.
async function sendOne(card, body) {
  const { number, revision } = card.dataset;
  try {
    return await api('POST', `/items/${number}/move`, body, revision);
  } catch (error) {
    if (error.status !== 412) throw error;
    const now = await api('GET', `/items/${number}`);
    if (body.fields.status && now.status !== card.dataset.from && now.status !== body.fields.status) throw Object.assign(error, { now, number });
    return api('POST', `/items/${number}/move`, body, now.revision);
  }
}

function tell(cards, list, before) {
  const [first] = cards;
  const title = list.dataset.title ?? list.closest('[data-title]')?.dataset.title ?? '';
  const rank = all('.card', list).indexOf(first) + 1;
  const isSame = before[0].list === list;
  const name = cards.length > 1 ? `${cards.length} items` : `#${first.dataset.number}`;
  did(isSame ? `${name} moved to place ${rank} in ${title}` : `${name} moved to ${title}`, async () => {
    for (const place of [...before].reverse()) {
      const card = document.getElementById(place.card.id) ?? place.card;
      const home = place.list.isConnected ? place.list : lists().find((other) => other.dataset.status === place.status && other.dataset.lane === place.lane);
      const next = place.next && document.getElementById(place.next.id);
      const body = home ? request(card, home, next?.parentNode === home ? next : null) : { fields: { status: place.status } };
      if (place.status) body.fields.status = place.status;
      await api('POST', `/items/${place.card.dataset.number}/move`, body);
    }
    await refresh();
  }, 'arrow-r');
}

// What a card's status was when the page was drawn, for conflicts.
function remember() {
  for (const card of all('.card[data-status]')) card.dataset.from = card.dataset.status;
}
document.addEventListener('refreshed', remember);
remember();

/** Moves the focus, or with `isMove` the card, to the next list on one side; the focus skips empty ones. */
export function aside(card, step, isMove) {
  const lane = card.closest('.lane');
  const siblings = lane ? all('.cards', lane) : lists();
  const at = siblings.indexOf(card.parentNode);
  if (isMove) return moveTo([card], siblings[at + step], siblings[at + step]?.firstElementChild, true);
  const row = [...card.parentNode.children].indexOf(card);
  for (let n = at + step; siblings[n]; n += step) {
    const cards = siblings[n].querySelectorAll('.card');
    if (cards.length) return focusOn(cards[Math.min(row, cards.length - 1)]);
  }
  return null;
}

/** Goes to the next or previous card, across groups of a list. */
export function along(card, step) {
  const cards = card.closest('.columns') ? all('.card', card.parentNode) : all('.card');
  // Not into a folded group.
  const seen = cards.filter((other) => other.checkVisibility());
  focusOn(seen[seen.indexOf(card) + step]);
}

/** Changes the rank of a card by one place. */
export function rerank(card, step) {
  const other = step < 0 ? card.previousElementSibling : card.nextElementSibling;
  if (!other?.matches('.card')) return;
  moveTo([card], card.parentNode, step < 0 ? other : other.nextElementSibling, true);
}

export function fold(status, isFolded) {
  preferWith('folded', status, isFolded);
  return refresh();
}

/** Shows a part of cards and rows, or leaves it out. */
export function display(button) {
  preferWith('hidden', button.dataset.part, button.getAttribute('aria-checked') === 'true');
  return refresh();
}

// Groups of lists and lanes. The event does not bubble.
document.addEventListener('toggle', ({ target }) => {
  if (target.matches('[data-fold]')) preferWith('groups', target.id, !target.open);
}, true);
