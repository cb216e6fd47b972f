// Live updates: a stream of events says that something changed; then the page is refreshed.

import { api } from './api.js';
import { find } from './dom.js';
import { refresh } from './refresh.js';

const MAX_WAIT_MS = 15_000;
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
    // Jitter: not all browsers reconnect at once after a restart.
    const wait = Math.min(MAX_WAIT_MS, 500 * 2 ** nFailures) * (0.75 + Math.random() / 2);
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

export function start() {
  // A browser has few connections per host, and a hidden tab needs none.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) listen();
    else {
      clearTimeout(timer);
      events?.close();
    }
  });
  addEventListener('online', listen);
  // Leaving the page closes the connection, which is no failure.
  addEventListener('pagehide', () => events?.close());
  // A page restored from the back-forward cache has no connection.
  addEventListener('pageshow', (event) => event.persisted && listen());
  if (!document.hidden) listen();
}
