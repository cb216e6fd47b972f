// A made-up project of a shop: people and agents, epics, milestones with history, code with notes, remarks. The pictures of
// the README and the scenes about density show it.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const EPICS = [
  ['Checkout rewrite', '#7353d3', 'm1', 'Fewer lost orders: one cart, one price, one tap'], ['Accounts & sign-in', '#2563eb', 'm3', 'Passkeys first, passwords as the exception'],
  ['Search & discovery', '#c2570c', 'm3', 'Results in 80 ms at the 95th percentile'], ['Observability', '#26854f', '', 'Know of a failing payment before the customer writes'],
  ['Accessibility AA', '#c026a8', 'm2', 'Every page passes WCAG 2.2 AA, also at 200 % zoom'], ['Offline mode', '#0e98a5', '', 'Past orders and the cart without a connection'],
];
const MILESTONES = [['m1', 'Release 1.2 · Faster checkout', 15], ['m2', 'Accessibility statement', -2], ['m3', 'Release 1.3 · Passkeys', 32]];
const LABELS = [['backend', 'blue'], ['frontend', 'gold'], ['security', 'orange'], ['bug', 'rose'], ['infra', 'cyan'], ['a11y', 'pink']];
const ME = 'Ada Lovelace <ada@example.com>';
const AGENTS = ['mason <mason@example.com>', 'scout <scout@example.com>'];
const PEOPLE = [ME, 'Jonas Lindqvist <jonas@example.com>', 'Hana Sato <hana@example.com>', 'Tomás Vega <tomas@example.com>', AGENTS[0], 'Priya Raman <priya@example.com>', AGENTS[1]];
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
const N_DONE_BEFORE = 40;
/** The item that the pictures show: `#25`. */
const SHOWN = 18;
const TEXT = `A session lasts 30 minutes. When it ends between the address and the payment step, \`resume()\` opens a new session, and the cart of the old one is lost. Support counted 41 such mails last week.

The cart should belong to the device key, not to the session. @mason keep the public interface as it is; #10 depends on it.

- [x] reproduce with a session of ten seconds
- [x] move the cart to the device key
- [ ] migrate the open carts

\`\`\`rust
fn pay(order: &Order) -> Result<Receipt, Refused> {
    bank.charge(order.total()) // once
}
\`\`\``;

const FILES = {
  'src/cart/session.rs': `/// A session of a device.
pub struct Session { key: DeviceKey, cart: Cart, expires: Instant }

pub fn renew(key: &DeviceKey) -> Result<Session> {
    check_revoked(key)?;
    Session::open(key, Clock::now())
}

pub fn resume(key: &DeviceKey) -> Result<Cart> {
    let session = renew(key)?;
    Cart::owned_by(key).or_else(|_| session.cart())
}

impl Drop for Session {
    fn drop(&mut self) {
        self.cart.flush();
    }
}
`,
  'src/cart/store.rs': `impl Store {
    /// Joins the cart with an older one.
    pub fn merge(&mut self, old: Cart) {
        for line in old.lines {
            self.lines.insert(line.sku, line);
        }
        self.touch(Clock::now());
    }
}
`,
  ...Object.fromEntries([['pay/client', 8], ['pay/idem', 3], ['auth/limit', 4], ['auth/code', 2], ['search/index', 9], ['search/query', 5], ['order/event', 3], ['mail/queue', 2]].map(([name, n]) => (
    [`src/${name}.rs`, Array.from({ length: n }, (_, part) => `pub fn part${part}(a: u32) -> u32 {\n    a + ${part}\n}\n`).join('\n')]))),
};

const day = (offset) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const at = (offset) => `${day(offset)}T08:00:00Z`;

function task(title, n) {
  const started = STATUSES.indexOf('in_progress') <= Math.floor(n / 9);
  return {
    id: `w${n}`, kind: ['story', 'task', 'issue'][n % 3], title, board: 'b', parent: `e${(n * 7) % 6}`, status: STATUSES[Math.min(4, Math.floor(n / 9))], priority: n === SHOWN ? 10 : [0, 3, 6, 8, 3, 6, 10][(n * 3) % 7],
    labels: [LABELS[n % 6][0], ...(n % 4 === 0 ? [LABELS[(n + 2) % 6][0]] : [])], ...(n % 6 || n === SHOWN ? { assignee: PEOPLE[n % 7] } : {}), ...(n % 3 ? {} : { milestone: MILESTONES[n % 2 * 2][0] }), created: at(-30 + n % 20),
    ...(n % 4 === 0 || n === SHOWN ? { due: day(n % 12 * 3 - 3) } : {}), ...(started ? { started: day(-9) } : {}), ...(n % 4 === 1 || n === SHOWN ? { description: TEXT } : {}),
    ...(n % 3 === 1 || n === SHOWN ? { comments: Array.from({ length: 1 + n % 4 }, (_, c) => ({ author: PEOPLE[(n + c) % 7], created: at(-1 - c), body: COMMENTS[c % 2] })) } : {}),
  };
}

const COMMENTS = ['When both carts hold the same product I can **add** the amounts or **keep the larger**. Which one?', 'Keep the larger, and never drop a product. Please add a property test for it.'];

/** What was finished in the weeks before: charts need history. */
const before = (n) => ({
  id: `d${n}`, kind: 'task', title: TITLES[(n * 11) % TITLES.length], board: ['b', 'b2', 'b3'][n % 3], parent: `e${n % 5}`, milestone: MILESTONES[n % 3][0], status: 'done', created: at(-45), started: day(-40 + n % 30), closed: at(-34 + (n * 34) % 33), assignee: PEOPLE[n % 7],
});

function items() {
  return [
    { id: 'b', kind: 'board', title: 'Storefront', colour: '#7353d3' }, { id: 'b2', kind: 'board', title: 'Platform', colour: '#26854f' }, { id: 'b3', kind: 'board', title: 'Mobile apps', colour: '#c2570c' },
    ...MILESTONES.map(([id, title, due]) => ({ id, kind: 'milestone', title, due: day(due), assignee: PEOPLE[1] })),
    ...EPICS.map(([title, colour, milestone, description], n) => ({ id: `e${n}`, kind: 'epic', title, colour, description, status: 'in_progress', created: at(-50), assignee: PEOPLE[n], due: day([15, 29, 57, 70, -2, 80][n]), ...(milestone ? { milestone } : {}) })),
    ...TITLES.map(task),
    ...Array.from({ length: N_DONE_BEFORE }, (_, n) => before(n)),
  ];
}

function commit(stage, files, message) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(stage.place, path)), { recursive: true });
    writeFileSync(join(stage.place, path), text);
  }
  for (const words of [['add', '.'], ['commit', '-qm', message]]) execFileSync('git', words, stage.options());
  return execFileSync('git', ['rev-parse', 'HEAD'], stage.options()).trim();
}

/** Writes items alone: enough for boards. */
export async function shopItems(stage) {
  const path = join(stage.home, 'work.jsonl');
  writeFileSync(path, items().map((one) => `${JSON.stringify(one)}\n`).join(''));
  await stage.cairn('import', path);
  for (const [name, color] of LABELS) await stage.cairn('label', 'define', name, '--color', color);
  await stage.cairn('workflow', 'set', 'task', 'in_progress', '--limit', '8');
  for (const agent of AGENTS) {
    const [name, email] = agent.slice(0, -1).split(' <');
    await stage.cairn('member', 'add', name, '--email', email, '--role', 'agent');
  }
}

/** Makes the whole project. */
export async function shop(stage) {
  await shopItems(stage);
  commit(stage, FILES, 'Carts and sessions');
  const note = (place, intent, ...more) => stage.cairn('annotate', '--anchor', `src/${place}`, '--intent', intent, ...more);
  await note('cart/session.rs:renew', 'Never extends a revoked session: revocation is checked before the clock.', '--depends', 'src/cart/store.rs:merge=the cart is flushed');
  await note('cart/session.rs:resume', 'The order matters: `renew` must come first, or a stolen key could read the cart of a revoked session.');
  await note('pay/client.rs:part1', 'Retries are left to the caller.');
  const { 'src/cart/session.rs': session, 'src/cart/store.rs': store } = FILES;
  const id = commit(stage, {
    'src/cart/session.rs': session.replace('    Cart::owned_by', '    let own = Cart::owned_by(key);\n    own.or_else'),
    'src/cart/store.rs': store.replace('            self.lines.insert(line.sku, line);', '            let mine = self.lines.entry(line.sku).or_default();\n            // the larger or the sum?\n            mine.count = mine.count.max(line.count);'),
  }, 'cart: own carts by device key\n\nRefs #25');
  for (const place of ['src/cart/session.rs:resume', 'src/cart/store.rs']) await stage.cairn('link', '25', '--touches', place);
  await stage.cairn('link', '33', '--blocks', '25');
  await stage.cairn('link', '25', '--blocks', '12');
  for (const child of ['8', '17', '34', '43']) await stage.cairn('link', child, '--parent', '25');
  const remark = (words, comment) => stage.cairn('inbox', 'send', ...words, '--comment', comment);
  await remark(['--file', 'src/auth/limit.rs', '--line', '5-6', '--kind', 'question'], 'Is the 429 meant for the whole office address, or for one account?');
  await remark(['--file', 'src/pay/client.rs', '--line', '2'], 'This retry can run after the key has expired. A customer could be charged twice.');
  await remark(['--file', 'src/cart/store.rs', '--commit', id, '--line', '5-7', '--kind', 'question'], 'Both carts hold the same product. Should the amounts be added, or is the larger one kept?');
  await stage.cairn('view', 'save', 'Late', '--filter', 'due < +0d');
  await stage.cairn('view', 'save', 'Good first issues', '--label', 'frontend');

  await stage.as(PEOPLE[2], 'comment', '10', 'Four pictures of the empty states are attached.');
  await stage.as(PEOPLE[1], 'move', '33', '--top');
  await stage.as(AGENTS[1], 'close', '44');
  await stage.as(AGENTS[0], 'edit', '38', '--status', 'review');
}
