// Saved views: what a page shows under a name, for the whole team.

import { api, load } from './api.js';
import { attempt } from './actions.js';
import { all, find, icon } from './dom.js';
import { pick } from './picker.js';
import { refresh } from './refresh.js';
import { did } from './toast.js';

const path = (name) => `/views/${encodeURIComponent(name)}`;
const stored = async (name) => (await api('GET', '/views')).find((view) => view.name.toLowerCase() === name.toLowerCase());
const own = () => find('#view-menu').dataset.name;

/** Names the view that the page shows, or none. */
function show(name) {
  const address = new URL(location.href);
  if (name) address.searchParams.set('view', name);
  else address.searchParams.delete('view');
  history.replaceState(null, '', address);
}

/** Goes to the URL of a view; the refresh after the change shows it. */
async function openView(name) {
  const { url } = await load(`/view/${encodeURIComponent(name)}`, { method: 'HEAD' });
  history.replaceState(null, '', url);
}

function save(name) {
  const shown = JSON.parse(find('#save-view').dataset.view);
  return attempt(async () => {
    const before = await stored(name);
    await api('POST', '/views', { ...shown, name });
    await openView(name);
    did(`View ${name} saved`, async () => {
      await (before ? api('POST', '/views', before) : api('DELETE', path(name)));
      if (!before) show(null);
      await refresh();
    }, 'pin');
  });
}

const ask = (anchor, title, options, text, then) => pick({
  anchor, title, options, none: 'Type a name', typed: (name) => ({ value: name, text: `${text} “${name}”` }), pick: ({ value }) => then(value),
});

export function saveView(anchor) {
  const known = all('.rail [href^="/view/"]').map(({ title }) => ({ value: title, text: title, hint: 'Replace', glyph: () => icon('pin', 'i s') }));
  ask(anchor, 'Name of the view', known, 'Save', save);
}

export const updateView = () => save(own());

export function renameView(button) {
  const before = own();
  ask(button.closest('.menu').firstChild, 'New name', [], 'Rename to', (name) => attempt(async () => {
    const rename = async (from, to) => { await api('PATCH', path(from), { name: to }); show(to); };
    await rename(before, name);
    did(`View ${before} is now ${name}`, () => rename(name, before).then(refresh), 'pin');
  }));
}

export function removeView() {
  const name = own();
  return attempt(async () => {
    const before = await stored(name);
    await api('DELETE', path(name));
    show(null);
    did(`View ${name} removed`, async () => {
      await api('POST', '/views', before);
      show(name);
      await refresh();
    }, 'pin');
  });
}
