// What pickers offer for each field, from one request that is repeated after changes.

import { api } from './api.js';
import { element, face, icon, statusShape, words } from './dom.js';

let loaded = null;
document.addEventListener('refreshed', () => { loaded = null; });

const load = () => {
  loaded ??= api('GET', '/choices').catch((error) => { loaded = null; throw error; });
  return loaded;
};

export const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none'].map((level) => [level, words(level), `p-${level}`]);
const SIZES = ['small', 'medium', 'large', 'xlarge'];
const COLORS = [
  ['#d63d5a', 'Rose', 'h-rose'], ['#c2410c', 'Orange', 'h-orange'], ['#b8860b', 'Gold', 'h-gold'], ['#26854f', 'Green', 'h-green'],
  ['#0e98a5', 'Cyan', 'h-cyan'], ['#2563eb', 'Blue', 'h-blue'], ['#7353d3', 'Violet', 'h-violet'], ['#c026a8', 'Pink', 'h-pink'],
];

const none = (text) => ({ value: '', text, glyph: () => icon('close', 'i s') });
const nobody = () => element('span', { className: 'face nobody' });
const dot = (hue) => () => element('span', { className: `label h-${hue}` });
const square = (hue) => () => element('span', { className: `square ${hue}` });

function day(offset) {
  const date = new Date();
  date.setDate(date.getDate() + offset);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** Reads a date that a person typed: `2026-11-17`, `17 Nov`, `17.11.`. */
export function typedDate(text) {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const dotted = text.match(/^(\d{1,2})\.(\d{1,2})\.?(\d{4})?$/);
  const year = new Date().getFullYear();
  if (dotted) return `${dotted[3] ?? year}-${dotted[2].padStart(2, '0')}-${dotted[1].padStart(2, '0')}`;
  const parsed = new Date(/\d{4}/.test(text) ? text : `${text} ${year}`);
  if (!/[a-z]{3}/i.test(text) || Number.isNaN(parsed.getTime())) return null;
  return [parsed.getFullYear(), parsed.getMonth() + 1, parsed.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

function dates() {
  const toMonday = (8 - new Date().getDay()) % 7 || 7;
  const offer = [['Today', 0], ['Tomorrow', 1], ['Next Monday', toMonday], ['In two weeks', 14], ['In four weeks', 28]];
  return [...offer.map(([text, offset]) => ({ value: day(offset), text, hint: day(offset), glyph: () => icon('due', 'i s') })), none('No date')];
}

const item = (glyph) => (one) => ({ value: one.id, text: one.title, hint: `#${one.number}`, glyph: () => icon(glyph, 'i s') });

/** Returns what a field can be. */
export async function optionsOf(field) {
  const known = await load();
  switch (field) {
    case 'status':
      return known.statuses.map(({ name, category }) => ({
        value: name, text: words(name), glyph: () => icon(`s-${statusShape(name, category)}`, `i st-${statusShape(name, category)}`),
      }));
    case 'priority': return PRIORITIES.map(([value, text, glyph]) => ({ value, text, glyph: () => icon(glyph) }));
    case 'assignee': {
      const people = known.people.map(({ person, name, agent }) => ({
        value: person, text: name, hint: agent ? 'agent' : person === document.body.dataset.me ? '(you)' : '', glyph: () => face(name, agent),
      }));
      // The person who asks comes first.
      people.sort((a, b) => Number(b.hint === '(you)') - Number(a.hint === '(you)'));
      return [...people, { ...none('Nobody'), glyph: nobody }];
    }
    case 'labels': return known.labels.map(({ name, hue, about }) => ({ value: name, text: name, hint: about, glyph: dot(hue) }));
    case 'parent': return [...known.epics.map(item('k-epic')), none('No parent')];
    case 'milestone': return [...known.milestones.map(item('k-milestone')), none('No milestone')];
    case 'board': return [...known.boards.map(item('board')), none('No board')];
    case 'size': return [...SIZES.map((size) => ({ value: size, text: words(size), glyph: () => icon('size', 'i s') })), none('No size')];
    case 'colour': return [...COLORS.map(([value, text, hue]) => ({ value, text, glyph: square(hue) })), none('No color')];
    case 'due': case 'started': case 'expected': case 'completed': return dates();
    case 'kind': return ['task', 'issue', 'story', 'epic'].map((kind) => ({ value: kind, text: words(kind), glyph: () => icon(`k-${kind}`) }));
    default: return [];
  }
}

/** Returns what a text that was typed into a picker means for a field, if it is not one of the options. */
export function typed(field, text) {
  if (['due', 'started', 'expected', 'completed'].includes(field)) {
    const date = typedDate(text);
    return date && { value: date, text: new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }) };
  }
  if (field === 'labels') return { value: text, text: `New label “${text}”` };
  if (field === 'assignee' && /@/.test(text)) return { value: text, text };
  if (['blocked', 'type', 'severity'].includes(field)) return { value: text, text };
  return null;
}

export const FIELD_NAMES = {
  status: 'Status', priority: 'Priority', assignee: 'Assignee', labels: 'Label', parent: 'Parent', milestone: 'Milestone', board: 'Board',
  size: 'Size', due: 'Due date', started: 'Start date', expected: 'Expected date', completed: 'Completed', blocked: 'Blocked by', type: 'Type',
  severity: 'Severity', colour: 'Color', kind: 'Kind',
};

/** Returns the word for a priority, as `model::priority` has them. */
export const levelOf = (number) => (number > 8 ? 'urgent' : number > 6 ? 'high' : number > 3 ? 'medium' : number > 0 ? 'low' : 'none');

/** The keys that open the picker of a field. */
export const FIELD_KEYS = { status: 'S', assignee: 'A', priority: 'P', labels: 'L', due: 'D' };
