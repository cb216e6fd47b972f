// Makes the pictures of the README and the guide in `docs/pictures`, from a made-up project. Run it as the scenes are run,
// with `PICTURES` as the folder.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Stage, launch } from './stage.mjs';

const EPICS = [['Checkout rewrite', '#7353d3'], ['Accounts & sign-in', '#2563eb'], ['Search & discovery', '#c2570c'], ['Observability', '#26854f'], ['Accessibility AA', '#c026a8']];
const LABELS = [['backend', 'blue'], ['frontend', 'gold'], ['security', 'orange'], ['bug', 'rose'], ['infra', 'cyan'], ['a11y', 'pink']];
const PEOPLE = ['Mira Okafor <mira@example.com>', 'Jonas Lindqvist <jonas@example.com>', 'Hana Sato <hana@example.com>', 'Tomás Vega <tomas@example.com>', 'mason <mason@example.com>'];
const TITLES = [
  'Split payment between a gift card and a saved card', 'Merge two accounts that share one verified address', 'Search understands plural forms and small typing errors', 'Color alone shows stock level',
  'Drop the legacy cart endpoint once traffic is below 1 %', 'Rounding differs by one cent with mixed VAT rates', 'Session list shows proxy address', 'Trace id in every mail footer of the staging host',
  'Read past orders without a connection', 'Double charge when the user presses Pay twice on a slow network', 'Show delivery dates before the address step', 'Sign in with a passkey, fall back to a mail code',
  'Rebuild the product index without a pause', 'Name every icon button', 'Alert when the order queue grows for five minutes', 'Empty, loading and error states for the account pages', 'Format prices with the locale of the reader',
  'Store refresh tokens hashed, migrate in place', 'Keep the cart when a session expires during checkout', 'Focus is trapped in the size guide', 'Pay with one tap using a passkey', 'Measure the 95th percentile of query time',
  'Logout misses the other tabs', 'Address form loses focus on iOS', 'Choose a display name and pronouns', 'Stream order events to the queue', 'Idempotency keys for every payment call', 'Argon2id parameters measured on the smallest host',
  'Filter chips jump when a count changes', 'Structured logs for the payment worker', 'إعادة ترتيب خطوات الدفع للغات المكتوبة من اليمين إلى اليسار', 'Mail code refused with a space', 'Cart reducer becomes a state machine', 'Audit log of sign-in events',
  'Footer covers Pay at 200 % zoom', 'Plain words for refused cards', 'Wrong currency symbol in the receipt mail', 'Guest checkout, no password', 'Property tests for discounts', 'Cart totals on the server only',
];
const STATUSES = ['backlog', 'ready', 'in_progress', 'review', 'done'];
const PIXELS = { board: '/board/1', lanes: '/board/1?group=epic', item: '/board/1?item=7', home: '/', timeline: '/board/1/timeline', labels: '/labels' };

function items() {
  const day = (offset) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const epics = EPICS.map(([title, colour], n) => ({ id: `e${n}`, kind: 'epic', title, colour, status: 'in_progress' }));
  const work = TITLES.map((title, n) => ({
    id: `w${n}`, kind: ['story', 'task', 'issue'][n % 3], title, board: 'b', parent: `e${(n * 7) % 5}`, status: STATUSES[Math.min(4, Math.floor(n / 9))], priority: [0, 3, 6, 8, 10][(n * 3) % 5],
    labels: [LABELS[n % 6][0], ...(n % 4 === 0 ? [LABELS[(n + 2) % 6][0]] : [])], assignee: PEOPLE[n % 5], ...(n % 3 === 0 ? { due: day((n % 9) * 4 - 6), started: day((n % 9) * 4 - 14) } : {}),
    ...(n % 4 === 1 ? { description: 'The page waits for the answer of the bank.\n\n- [x] reproduce\n- [ ] fix\n- [ ] test\n\n```rust\nfn pay(order: &Order) -> Result<Receipt, Refused> {\n    bank.charge(order.total()) // once\n}\n```' } : {}),
  }));
  return [{ id: 'b', kind: 'board', title: 'Storefront', colour: '#7353d3' }, ...epics, ...work];
}

async function project(stage) {
  writeFileSync(join(stage.place, 'work.jsonl'), items().map((one) => `${JSON.stringify(one)}\n`).join(''));
  await stage.cairn('import', 'work.jsonl');
  for (const [name, color] of LABELS) await stage.cairn('label', 'define', name, '--color', color);
  await stage.cairn('workflow', 'set', 'task', 'in_progress', '--limit', '8');
  await stage.cairn('member', 'add', 'mason', '--email', 'mason@example.com', '--role', 'agent');
  await stage.cairn('comment', '7', 'It also happens on iPad, see #12.');
}

const browser = await launch();
const stage = await Stage.open(browser);
try {
  await project(stage);
  for (const colorScheme of ['light', 'dark']) {
    const page = await stage.signedIn({ colorScheme, viewport: { width: 1440, height: 900 } });
    for (const [name, path] of Object.entries(PIXELS)) {
      await page.goto(stage.url + path);
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(process.env.PICTURES, `${name}-${colorScheme}.png`) });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${stage.url}/board/1`);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(process.env.PICTURES, `phone-${colorScheme}.png`) });
  }
} finally {
  await stage.close();
  await browser.close();
}
