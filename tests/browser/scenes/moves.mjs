// Cards on a board: created, moved by mouse, keyboard and menu, and found with a filter.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';

async function board(stage) {
  await stage.cairn('new', 'board', 'Team board');
  for (const title of ['One', 'Two', 'Three']) await stage.cairn('new', 'task', title, '--board', '1');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/board/1`);
  return page;
}

const column = (page, status) => page.locator(`.column[data-status=${status}]`);
const status = async (stage, number) => (await stage.json('show', number)).status;

export async function a_card_is_made_in_its_column(stage) {
  const page = await board(stage);
  const title = column(page, 'ready').getByLabel('Title of a new card in Ready');
  await title.fill('From the browser');
  await title.press('Enter');
  await column(page, 'ready').getByText('From the browser').waitFor();
  // The form is ready for the next card.
  assert.equal(await title.inputValue(), '');
  assert.ok(await title.evaluate((input) => input === document.activeElement));
  const item = await stage.json('show', '4');
  assert.deepEqual([item.title, item.kind, item.status, item.board.number], ['From the browser', 'task', 'ready', 1]);
  assert.deepEqual(page.complaints, []);
}

export async function a_card_is_dragged(stage) {
  const page = await board(stage);
  await page.locator('#card-2').dragTo(column(page, 'review'));
  await column(page, 'review').locator('#card-2').waitFor();
  await page.getByText('#2 moved to Review').waitFor({ state: 'attached' });
  assert.equal(await status(stage, '2'), 'review');
  assert.match(await column(page, 'review').locator('h2').innerText(), /Review\s*1/);
  await stage.shot(page, 'board-dragged');
  assert.deepEqual(page.complaints, []);
}

export async function the_keyboard_is_enough(stage) {
  const page = await board(stage);
  await page.locator('.skip').focus();
  // Keyboard only from here on.
  const focused = () => page.evaluate(() => document.activeElement.closest('.card')?.id);
  for (let n = 0; n < 40 && (await focused()) !== 'card-1'; n += 1) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'card-1');
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(), 'card-2');
  await page.keyboard.press(']');
  await page.getByText('#2 moved to Ready').waitFor({ state: 'attached' });
  assert.equal(await focused(), 'card-2');
  assert.equal(await status(stage, '2'), 'ready');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText('#2 moved to In progress').waitFor({ state: 'attached' });
  await page.keyboard.press('[');
  await page.getByText('#2 moved to Ready').waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowLeft');
  assert.match(await focused(), /card-[13]/);
  await page.keyboard.press('n');
  await page.keyboard.type('Typed');
  await page.keyboard.press('Enter');
  await column(page, 'backlog').getByText('Typed').waitFor();
  await page.keyboard.press('Escape');
  // The dialog as an alternative to dragging.
  await page.getByRole('button', { name: 'Move #1', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Done', exact: true }).focus();
  await page.keyboard.press('Enter');
  await column(page, 'done').locator('#card-1').waitFor();
  assert.equal(await status(stage, '1'), 'done');
  assert.deepEqual(page.complaints, []);
}

export async function a_filter_shows_where_it_is_wrong(stage) {
  const page = await board(stage);
  const filter = page.getByRole('textbox', { name: 'Filter' });
  await filter.fill('title ~ two');
  await filter.press('Enter');
  await page.locator('#card-1').waitFor({ state: 'detached' });
  assert.equal(await page.locator('.card').count(), 1);
  assert.match(page.url(), /filter=title/);
  await filter.fill('priority >= 5 and stauts == open');
  await filter.press('Enter');
  const mistake = page.getByRole('alert').filter({ hasText: 'stauts' });
  await mistake.waitFor();
  assert.match(await mistake.innerText(), /at column 19, did you mean `status`/);
  assert.match(await mistake.locator('pre').innerText(), /\n {18}\^~~~~~/);
  assert.equal(await filter.getAttribute('aria-invalid'), 'true');
  assert.equal(await page.locator('.card').count(), 3);
  await stage.shot(page, 'filter-mistake');
  await page.goBack();
  await page.locator('#card-1').waitFor({ state: 'detached' });
  // The browser itself logs every unsuccessful response.
  assert.deepEqual(page.complaints.filter((one) => !one.includes('400')), []);
}

async function cards(stage, n_cards) {
  const statuses = ['backlog', 'ready', 'in_progress', 'review', 'done'];
  const line = (n) => JSON.stringify({ kind: 'task', title: `Card ${n}`, labels: ['bug'], status: n_cards > 1000 ? statuses[n % 5] : 'backlog' });
  writeFileSync(`${stage.home}/cards.jsonl`, Array.from({ length: n_cards }, (_, n) => line(n)).join('\n'));
  await stage.cairn('import', `${stage.home}/cards.jsonl`);
}

export async function two_thousand_cards_stay_usable(stage) {
  await cards(stage, 2000);
  const page = await stage.signedIn();
  const start = Date.now();
  await page.goto(`${stage.url}/backlog`);
  const took = Date.now() - start;
  console.log(`        loaded in ${took} ms`);
  assert.ok(took < 10_000, `${took} ms`);
  assert.equal(await page.locator('.card').count(), 250);
  await page.locator('#card-1').dragTo(column(page, 'review'), { targetPosition: { x: 60, y: 60 } });
  await page.getByText('#1 moved to Review').waitFor({ state: 'attached' });
  assert.equal(await status(stage, '1'), 'review');
  await stage.cairn('edit', '3', '--priority', '10');
  await page.locator('#card-3 .priority.high').waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function a_long_column_shows_more(stage) {
  await cards(stage, 130);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/backlog`);
  const shown = column(page, 'backlog').locator('.card');
  assert.equal(await shown.count(), 50);
  await page.getByRole('link', { name: 'Show more' }).click();
  await shown.nth(99).waitFor();
  assert.equal(await shown.count(), 100);
  await page.getByRole('link', { name: 'Show more' }).click();
  await shown.nth(129).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Show more' }).count(), 0);
  assert.deepEqual(page.complaints, []);
}

export async function who_may_only_read_is_offered_no_change(stage) {
  await stage.cairn('new', 'task', 'One');
  const { token } = await stage.json('token', 'create', 'guest', '--role', 'reader');
  const page = await stage.signedIn({}, token);
  for (const path of ['/', '/backlog', '/item/1', '/milestones', '/review']) {
    await page.goto(stage.url + path);
    assert.equal(await page.locator('.js:visible, [draggable=true], .move').count(), 0, path);
  }
  assert.deepEqual(page.complaints, []);
}
