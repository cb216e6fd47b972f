// The code map and the code beside remarks: folders on demand, lines around a remark, code that is gone.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TRICK = '<img src=x onerror=alert(1)>.rs';

function commit(stage, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(stage.place, path)), { recursive: true });
    writeFileSync(join(stage.place, path), text);
  }
  execFileSync('git', ['add', '.'], stage.options());
  execFileSync('git', ['commit', '-qm', 'Change'], stage.options());
  return execFileSync('git', ['rev-parse', 'HEAD'], stage.options()).trim();
}

const names = (page) => page.locator('.tree a .truncate').evaluateAll((links) => links.filter((link) => link.checkVisibility()).map((link) => link.textContent));

export async function folders_are_unfolded_on_demand(stage) {
  const many = Object.fromEntries(Array.from({ length: 2400 }, (_, n) => [`data/part${n % 6}/file${String(n).padStart(4, '0')}.txt`, '']));
  commit(stage, { ...many, [`src/cart/${TRICK}`]: 'fn a() {}\n', 'src/cart/store.rs': 'fn merge() {}\n', 'src/main.rs': 'fn main() {}\n', 'Cargo.toml': '' });
  const page = await stage.signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${stage.url}/code`);
  assert.deepEqual(await names(page), ['data', 'src', 'Cargo.toml']);
  assert.ok(!(await page.content()).includes('file0000'));
  const unfold = (name) => page.getByRole('button', { name: `Folder ${name}`, exact: true });
  await unfold('src').click();
  await page.locator('.tree').getByText('main.rs').waitFor();
  assert.equal(await unfold('src').getAttribute('aria-expanded'), 'true');
  await unfold('cart').focus();
  await page.keyboard.press('Enter');
  await page.locator('.tree').getByText('store.rs').waitFor();
  assert.deepEqual(await names(page), ['data', 'src', 'cart', TRICK, 'store.rs', 'main.rs', 'Cargo.toml']);
  assert.deepEqual(await stage.violations(page), []);
  await unfold('src').click();
  await page.locator('.tree').getByText('main.rs').waitFor();
  await stage.shot(page, 'code-tree');
  // A change elsewhere keeps what is unfolded.
  await stage.cairn('new', 'board', 'Fresh');
  await page.locator('.rail').getByText('Fresh').waitFor();
  assert.ok((await names(page)).includes('main.rs'));
  await unfold('src').click();
  assert.deepEqual(await names(page), ['data', 'src', 'Cargo.toml']);
  // The page of a file has the folders around it only, and a large folder comes in parts.
  await page.goto(`${stage.url}/code/src/cart/store.rs`);
  assert.deepEqual(await names(page), ['data', 'src', 'cart', TRICK, 'store.rs', 'main.rs', 'Cargo.toml']);
  assert.equal(await page.locator('.tree [aria-current=page]').innerText(), 'store.rs');
  await page.goto(`${stage.url}/code/data/part0`);
  assert.equal((await names(page)).length, 3 + 6 + 300);
  await page.getByRole('link', { name: /Show more/ }).click();
  await page.waitForURL(/entries=1200/);
  assert.equal((await names(page)).length, 3 + 6 + 400);
  assert.deepEqual(page.complaints, []);
  // Without a script each folder is a link.
  const plain = await stage.signedIn({ javaScriptEnabled: false });
  await plain.goto(`${stage.url}/code`);
  await plain.locator('.tree').getByRole('link', { name: 'src' }).click();
  await plain.locator('.tree').getByRole('link', { name: 'cart' }).click();
  await plain.locator('.tree').getByRole('link', { name: 'store.rs' }).click();
  await plain.getByRole('heading', { name: 'Outline' }).waitFor();
}

const shown = (page) => page.locator('.source > span').evaluateAll((lines) => lines.map((line) => [...line.children].map((part) => part.textContent)));
const marked = (page) => page.locator('.source > .marked .ln').allTextContents();
const text = (n, change = '') => Array.from({ length: n }, (_, line) => (line === 19 && change ? change : `let line${line + 1} = "<b>";`)).join('\n');

export async function a_remark_has_the_code_around_it(stage) {
  commit(stage, { 'a.rs': text(40) });
  const id = commit(stage, { 'a.rs': text(40, 'let changed = 1; // why?') });
  await stage.cairn('inbox', 'send', '--file', 'a.rs', '--line', '5-6', '--comment', 'In the file');
  const page = await stage.signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${stage.url}/review`);
  assert.deepEqual(await marked(page), ['5', '6']);
  assert.deepEqual((await shown(page)).map(([number]) => Number(number)), Array.from({ length: 14 }, (_, n) => n + 1));
  assert.deepEqual((await shown(page))[0], ['1', '', 'let line1 = "<b>";']);
  assert.equal(await page.locator('.source .hl-kw').first().innerText(), 'let');
  // A remark on a commit shows its change.
  await stage.cairn('inbox', 'send', '--file', 'a.rs', '--commit', id, '--line', '20', '--comment', 'In the change');
  await page.goto(`${stage.url}/review`);
  await page.getByRole('heading', { name: 'In the change' }).waitFor();
  const lines = await shown(page);
  assert.deepEqual(lines.filter(([, sign]) => sign), [['20', '−', 'let line20 = "<b>";'], ['20', '+', 'let changed = 1; // why?']]);
  assert.deepEqual(await marked(page), ['20']);
  assert.equal(await page.locator('.source > .marked.added').count(), 1);
  assert.equal(await page.locator('.codebox .changes').innerText(), '+1\n−1');
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    // Colors change in steps.
    await page.reload();
    assert.deepEqual(await stage.violations(page), [], colorScheme);
    await stage.shot(page, `remark-change-${colorScheme}`);
  }
  // The page of the file has the remarks on it.
  await page.goto(`${stage.url}/code/a.rs`);
  assert.deepEqual(await page.locator('[aria-labelledby=remarks] li a').allInnerTexts(), ['In the file', 'In the change']);
  await page.getByRole('link', { name: 'In the change' }).click();
  await page.getByRole('heading', { name: 'In the change' }).waitFor();
  // When the code is gone, the page says so and shows it as it was.
  rmSync(join(stage.place, 'a.rs'));
  await page.goto(`${stage.url}/review`);
  await page.locator('.message', { hasText: 'In the file' }).click();
  await page.getByText('This code is gone. It is shown as it was.').waitFor();
  assert.deepEqual(await shown(page), [['5', '', 'let line5 = "<b>";'], ['6', '', 'let line6 = "<b>";']]);
  await stage.shot(page, 'remark-gone');
  // On a phone long lines scroll within their box.
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await stage.shot(page, 'remark-390');
  assert.deepEqual(page.complaints, []);
}
