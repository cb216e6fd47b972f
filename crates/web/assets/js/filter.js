// Filter chips: a field, then its value, which together extend the filter.

import { FIELD_NAMES, optionsOf } from './choices.js';
import { icon } from './dom.js';
import { pick } from './picker.js';
import { go } from './refresh.js';

const FIELDS = [['status', 's-ready'], ['assignee', 'user'], ['labels', 'tag'], ['priority', 'p-medium'], ['parent', 'k-epic'], ['milestone', 'k-milestone'], ['kind', 'k-task'], ['due', 'due'], ['blocked', 'blocked']];
const DUE = [['due < +0d', 'Late'], ['due <= +7d', 'Within a week'], ['due == none', 'No date']];
const quoted = (text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

function condition(field, { value }) {
  if (field === 'due') return value;
  if (field === 'blocked') return 'blocked == true';
  if (field === 'priority') return `priority == ${value}`;
  if (value === '') return field === 'labels' ? 'labels == none' : `${field} == none`;
  return `${field} == ${quoted(value)}`;
}

function extend(text) {
  const address = new URL(location.href);
  const filter = address.searchParams.get('filter');
  const find = address.searchParams.get('find');
  address.searchParams.delete('find');
  if (find) address.searchParams.set('q', find);
  address.searchParams.set('filter', filter ? `${filter} and ${text}` : text);
  return go(address.href);
}

/** Shows only items with some words. */
export function withWords(words) {
  const address = new URL(location.href);
  address.searchParams.set('q', words);
  return go(address.href);
}

export function addFilter(anchor) {
  const options = FIELDS.map(([value, glyph]) => ({ value, text: FIELD_NAMES[value], glyph: () => icon(glyph, 'i s') }));
  const byWords = (text) => ({ value: 'q', text: `Items with “${text}”`, words: text });
  pick({ anchor, title: 'Filter by…', options, typed: byWords, pick: ({ value: field, words }) => {
    if (field === 'q') return withWords(words);
    if (field === 'blocked') return extend(condition(field, {}));
    const values = field === 'due' ? DUE.map(([value, text]) => ({ value, text })) : optionsOf(field);
    return pick({ anchor, title: FIELD_NAMES[field], options: values, pick: (option) => extend(condition(field, option)) });
  } });
}
