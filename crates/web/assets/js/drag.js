// Dragging cards with the pointer: the card lifts after four pixels, its place stays as a gap, a line shows the target.

import { all, element, find, mayWrite } from './dom.js';
import { moveTo } from './board.js';
import { hold, release } from './refresh.js';
import { selectedCards } from './select.js';

const START_PX = 4;
const EDGE_PX = 48;
const SCROLL_PX = 12;

const TILT = matchMedia('(prefers-reduced-motion: reduce)').matches ? '' : ' rotate(1.6deg)';

let drag = null;
let isClickSwallowed = false;

document.addEventListener('pointerdown', (event) => {
  const card = event.target.closest?.('.card');
  // Touch scrolls; it has the menu for moving.
  if (!mayWrite || !card || event.button !== 0 || event.pointerType === 'touch' || event.target.closest('button, input, textarea')) return;
  if (!card.closest('[data-sort]')) return;
  drag = { card, id: event.pointerId, x: event.clientX, y: event.clientY, isLifted: false };
});

// The browser would select text from the card to the pointer.
document.addEventListener('selectstart', (event) => {
  if (drag) event.preventDefault();
});

// The browser would drag the link of the title.
document.addEventListener('dragstart', (event) => {
  if (event.target.closest?.('.card')) event.preventDefault();
});

document.addEventListener('pointermove', (event) => {
  if (!drag) return;
  drag.at = event;
  if (!drag.isLifted) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < START_PX) return;
    lift(event);
  }
  // A layer that moves is neither laid out nor drawn again.
  drag.ghost.style.transform = `translate(${event.clientX - drag.dx}px, ${event.clientY - drag.dy}px)${TILT}`;
  aim(event);
});

function lift(event) {
  const { card } = drag;
  const selected = selectedCards();
  drag.cards = selected.includes(card) ? selected : [card];
  const box = card.getBoundingClientRect();
  drag.dx = event.clientX - box.left;
  drag.dy = event.clientY - box.top;
  drag.ghost = card.cloneNode(true);
  drag.ghost.removeAttribute('id');
  drag.ghost.classList.add('lifted');
  drag.ghost.style.width = `${box.width}px`;
  drag.ghost.inert = true;
  if (drag.cards.length > 1) drag.ghost.append(element('span', { className: 'n-lifted' }, String(drag.cards.length)));
  document.body.append(drag.ghost);
  for (const one of drag.cards) one.classList.add('gap');
  // The ghost's cursor is shown wherever the pointer is: a rule for all elements would restyle the whole board.
  drag.ghost.setPointerCapture(drag.id);
  drag.line = element('div', { className: 'insertion', hidden: true });
  drag.isLifted = true;
  hold();
  drag.timer = setInterval(scroll, 16);
}

/** Finds the list and the place under the pointer, and shows them. */
function aim({ clientX, clientY }) {
  const under = document.elementFromPoint(clientX, clientY);
  const list = find('.cards', under?.closest('.column:not(.folded), .cell, .plan-group') ?? document.createElement('div'));
  for (const other of all('.target')) other.classList.remove('target');
  drag.list = list;
  drag.next = null;
  drag.line.hidden = true;
  if (!list) return;
  const isRanked = list.closest('[data-sort]').dataset.sort === 'rank' && !list.closest('[data-closed]');
  if (!isRanked) {
    list.closest('.column, .cell, .plan-group').classList.add('target');
    drag.next = list === drag.card.parentNode ? drag.card.nextElementSibling : list.firstElementChild;
    return;
  }
  const cards = all('.card:not(.gap)', list);
  drag.next = cards.find((card) => {
    const box = card.getBoundingClientRect();
    return clientY < box.top + box.height / 2;
  }) ?? null;
  const last = cards.at(-1);
  if (drag.line.parentNode !== list) list.append(drag.line);
  drag.line.hidden = false;
  const top = drag.next ? drag.next.offsetTop : last ? last.offsetTop + last.offsetHeight + parseFloat(getComputedStyle(last).marginBottom) : 3;
  drag.line.style.top = `${top}px`;
}

/** Scrolls the list near its edges. */
function scroll() {
  const { clientX, clientY } = drag.at;
  const under = document.elementFromPoint(clientX, clientY);
  const [down, across] = [under?.closest('.scroll, .page, .lanes')?.closest('.scroll, .page, .board'), under?.closest('.board')];
  if (down) {
    const box = down.getBoundingClientRect();
    if (clientY < box.top + EDGE_PX) down.scrollTop -= SCROLL_PX;
    else if (clientY > box.bottom - EDGE_PX) down.scrollTop += SCROLL_PX;
  }
  if (across) {
    const box = across.getBoundingClientRect();
    if (clientX < box.left + EDGE_PX) across.scrollLeft -= SCROLL_PX;
    else if (clientX > box.right - EDGE_PX) across.scrollLeft += SCROLL_PX;
  }
}

function end(isDrop) {
  const { isLifted, cards, list, next, ghost, line, timer } = drag;
  drag = null;
  if (!isLifted) return;
  clearInterval(timer);
  ghost.remove();
  line.remove();
  for (const one of cards) one.classList.remove('gap');
  for (const other of all('.target')) other.classList.remove('target');
  isClickSwallowed = true;
  setTimeout(() => { isClickSwallowed = false; });
  if (isDrop && list) moveTo(cards, list, next);
  release();
}

document.addEventListener('pointerup', () => drag && end(true));
document.addEventListener('pointercancel', () => drag && end(false));
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !drag?.isLifted) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  end(false);
}, true);
// The end of a drag is not a click on the card.
document.addEventListener('click', (event) => {
  if (!isClickSwallowed) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
