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
