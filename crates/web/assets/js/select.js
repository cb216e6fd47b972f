// Selecting several cards or rows, and the bar that changes all of them.

import { all, element, find, icon, mayWrite } from './dom.js';

const selected = new Set();
let last = null;

export const selectedNumbers = () => [...selected];
export const selectedCards = () => all('.card.selected');

export function select(card, isRange = false) {
  if (!mayWrite) return;
  const cards = all('.card');
  if (isRange && last && document.getElementById(last)) {
    const [from, to] = [cards.findIndex(({ id }) => id === last), cards.indexOf(card)].sort((a, b) => a - b);
    for (const one of cards.slice(from, to + 1)) selected.add(Number(one.dataset.number));
  } else if (!selected.delete(Number(card.dataset.number))) selected.add(Number(card.dataset.number));
  last = card.id;
  draw();
}

export function clearSelection() {
  if (!selected.size) return false;
  selected.clear();
  draw();
  return true;
}

const ACTIONS = [['status', 's-progress', 'Status', 'S'], ['assignee', 'user', 'Assign', 'A'], ['priority', 'p-high', 'Priority', 'P'], ['label', 'tag', 'Label', 'L'], ['milestone', 'k-milestone', 'Milestone', '']];

function draw() {
  for (const card of all('.card')) {
    const isSelected = selected.has(Number(card.dataset.number));
    card.classList.toggle('selected', isSelected);
    find('[data-act=select]', card)?.setAttribute('aria-pressed', String(isSelected));
  }
  find('main').classList.toggle('selecting', selected.size > 0);
  find('.bulk')?.remove();
  if (!selected.size) return;
  const bar = element('div', { className: 'bulk', role: 'toolbar', ariaLabel: 'Selected items' }, element('span', { role: 'status' }, `${selected.size} selected`), element('span', { className: 'separator' }));
  for (const [act, glyph, name, key] of ACTIONS) {
    const button = element('button', { type: 'button', className: 'button ghost', dataset: { act }, ariaLabel: name }, icon(glyph), element('span', {}, name));
    if (key) button.append(element('kbd', {}, key));
    bar.append(button);
  }
  const small = (act, name, glyph) => element('button', { type: 'button', className: 'icon-button', dataset: { act }, ariaLabel: name, title: name }, icon(glyph));
  bar.append(small('more-selected', 'More for the selected items', 'more'), element('span', { className: 'separator' }), small('clear-selection', 'Clear the selection', 'close'));
  find('main').append(bar);
}

// A refresh redraws the cards and removes the bar.
document.addEventListener('refreshed', () => {
  for (const number of selected) if (!find(`.card[data-number="${number}"]`)) selected.delete(number);
  draw();
});

// Touch has no keys: a long press selects, and while cards are selected a tap adds one or takes it out.
const PRESS_MS = 450;
const SLIP_PX = 10;
let press = null;

const touched = (event) => (event.pointerType === 'touch' && mayWrite && !event.target.closest('button') ? event.target.closest('.card') : null);
const release = () => clearTimeout(press?.timer);

document.addEventListener('pointerdown', (event) => {
  release();
  const card = touched(event);
  press = card && { x: event.clientX, y: event.clientY, isLong: false };
  if (!card) return;
  press.timer = setTimeout(() => {
    press.isLong = true;
    if (!card.matches('.selected')) select(card);
  }, PRESS_MS);
});
document.addEventListener('pointermove', ({ clientX, clientY }) => press && Math.hypot(clientX - press.x, clientY - press.y) > SLIP_PX && release());
for (const name of ['pointerup', 'pointercancel']) document.addEventListener(name, release);
// The browser's menu for links would open.
document.addEventListener('contextmenu', (event) => press?.isLong && event.preventDefault());
document.addEventListener('click', (event) => {
  const card = selected.size ? touched(event) : null;
  if (!card) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!press?.isLong) select(card);
}, true);
