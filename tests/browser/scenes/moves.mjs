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

const order = (page, status) => column(page, status).locator('.card').evaluateAll((cards) => cards.map(({ id }) => id));

export async function a_card_is_made_on_top_of_its_column(stage) {
  const page = await board(stage);
  await page.getByRole('button', { name: 'New item in Ready' }).click();
  const title = column(page, 'ready').getByLabel('Title of a new item in Ready');
  await title.fill('From the browser');
  await title.press('Enter');
  await column(page, 'ready').locator('#card-4').waitFor();
  // The form is ready for the next card, and that one lies on top.
  assert.equal(await title.inputValue(), '');
  assert.ok(await title.evaluate((input) => input === document.activeElement));
  await title.fill('Another');
  await title.press('Enter');
  await column(page, 'ready').locator('#card-5').waitFor();
  assert.deepEqual(await order(page, 'ready'), ['card-5', 'card-4']);
  const item = await stage.json('show', '4');
  assert.deepEqual([item.title, item.kind, item.status, item.board.number], ['From the browser', 'task', 'ready', 1]);
  // Undo takes the last one back.
  await title.press('Escape');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('#card-5').waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
}

export async function a_card_is_dragged_and_the_move_is_undone(stage) {
  const page = await board(stage);
  await page.locator('#card-2').dragTo(column(page, 'review'));
  await column(page, 'review').locator('#card-2').waitFor();
  await page.getByText('#2 moved to Review').first().waitFor({ state: 'attached' });
  assert.equal(await status(stage, '2'), 'review');
  assert.match(await column(page, 'review').locator('.column-head').innerText(), /Review\s*1/);
  await stage.shot(page, 'board-dragged');
  await page.getByRole('button', { name: 'Undo' }).click();
  await column(page, 'backlog').locator('#card-2').waitFor();
  assert.equal(await status(stage, '2'), 'backlog');
  assert.deepEqual(await order(page, 'backlog'), ['card-1', 'card-2', 'card-3']);
  assert.deepEqual(page.complaints, []);
}

export async function a_drag_within_a_column_ranks_and_shows_a_line(stage) {
  const page = await board(stage);
  const [from, to] = [await page.locator('#card-3').boundingBox(), await page.locator('#card-1').boundingBox()];
  await page.mouse.move(from.x + 60, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 60, to.y + 40, { steps: 8 });
  await page.mouse.move(to.x + 60, to.y + 6, { steps: 4 });
  await page.locator('.insertion').waitFor();
  assert.equal(await page.locator('.card.lifted').count(), 1);
  await stage.shot(page, 'board-ranking');
  await page.mouse.up();
  await page.getByText('#3 moved to place 1').first().waitFor({ state: 'attached' });
  assert.deepEqual(await order(page, 'backlog'), ['card-3', 'card-1', 'card-2']);
  await page.reload();
  assert.deepEqual(await order(page, 'backlog'), ['card-3', 'card-1', 'card-2']);
  // Escape ends a drag without a change.
  const again = await page.locator('#card-2').boundingBox();
  await page.mouse.move(again.x + 60, again.y + 20);
  await page.mouse.down();
  await page.mouse.move(again.x + 400, again.y + 40, { steps: 8 });
  await page.keyboard.press('Escape');
  await page.mouse.up();
  assert.equal(await page.locator('.card.lifted').count(), 0);
  assert.equal(await status(stage, '2'), 'backlog');
  // A drag is not a click: no sheet opened.
  assert.equal(await page.locator('.sheet').count(), 0);
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
  await page.getByText('#2 moved to Ready').first().waitFor({ state: 'attached' });
  assert.equal(await focused(), 'card-2');
  assert.equal(await status(stage, '2'), 'ready');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText('#2 moved to In progress').first().waitFor({ state: 'attached' });
  await page.keyboard.press('[');
  await page.getByText('#2 moved to Ready').first().waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowLeft');
  assert.match(await focused(), /card-[13]/);
  // Alt and an arrow change the rank.
  await page.locator('#card-1 .card-title').focus();
  await page.keyboard.press('Alt+ArrowDown');
  await page.getByText('#1 moved to place 2').first().waitFor({ state: 'attached' });
  assert.deepEqual(await order(page, 'backlog'), ['card-3', 'card-1']);
  await page.keyboard.press('n');
  await page.keyboard.type('Typed');
  await page.keyboard.press('Enter');
  await column(page, 'backlog').getByText('Typed').waitFor();
  await page.keyboard.press('Escape');
  // A picker as an alternative to dragging, and for properties.
  await page.locator('#card-1 .card-title').focus();
  await page.keyboard.press('s');
  await page.keyboard.type('done');
  await page.keyboard.press('Enter');
  await column(page, 'done').locator('#card-1').waitFor();
  assert.equal(await status(stage, '1'), 'done');
  await page.keyboard.press('z');
  await column(page, 'backlog').locator('#card-1').waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function several_cards_are_changed_at_once(stage) {
  const page = await board(stage);
  await page.locator('#card-1 .card-title').focus();
  await page.keyboard.press('x');
  await page.locator('#card-2 .card-title').focus();
  await page.keyboard.press('x');
  await page.getByText('2 selected').waitFor();
  await stage.shot(page, 'board-selected');
  await page.locator('.bulk').getByRole('button', { name: 'Priority' }).click();
  await page.getByRole('option', { name: 'Urgent' }).click();
  await page.locator('#card-2').getByRole('img', { name: 'Priority: urgent' }).waitFor();
  const priorities = async () => [(await stage.json('show', '1')).priority, (await stage.json('show', '2')).priority, (await stage.json('show', '3')).priority];
  assert.deepEqual(await priorities(), [9, 9, 0]);
  assert.equal((await stage.json('log')).entries[0].text.includes('#1, #2'), true);
  // Both are dragged together.
  await page.locator('#card-1').dragTo(column(page, 'ready'));
  await page.getByText('2 items moved to Ready').first().waitFor({ state: 'attached' });
  assert.deepEqual([await status(stage, '1'), await status(stage, '2'), await status(stage, '3')], ['ready', 'ready', 'backlog']);
  await page.keyboard.press('Escape');
  await page.locator('.bulk').waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
}

export async function selected_cards_are_deleted_and_come_back(stage) {
  const page = await board(stage);
  for (const id of ['card-1', 'card-2']) {
    await page.locator(`#${id} .card-title`).focus();
    await page.keyboard.press('x');
  }
  const more = async (name) => {
    await page.locator('.bulk').getByRole('button', { name: 'More for the selected items' }).click();
    await page.getByRole('option', { name }).click();
  };
  await more('Size');
  await page.getByRole('option', { name: 'Large', exact: true }).click();
  await page.locator('.toast').getByText('Size of 2 items set to Large').waitFor();
  assert.deepEqual([(await stage.json('show', '1')).size, (await stage.json('show', '3')).size], ['large', null]);
  await more('Delete');
  await page.locator('.toast').getByText('Deleted 2 items').waitFor();
  await page.locator('#card-1').waitFor({ state: 'detached' });
  assert.deepEqual([(await stage.json('show', '1')).deleted, (await stage.json('show', '3')).deleted], [true, false]);
  await page.keyboard.press('z');
  await page.locator('#card-1').waitFor();
  assert.equal((await stage.json('show', '2')).deleted, false);
  assert.deepEqual(page.complaints, []);
}

export async function more_than_one_request_may_change_are_changed_at_once(stage) {
  await cards(stage, 230);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all/list`);
  await page.locator('.list-row').nth(229).waitFor();
  await page.locator('.list-row').first().hover();
  await page.locator('.list-row .select').first().click();
  await page.locator('.list-row').nth(229).scrollIntoViewIfNeeded();
  await page.locator('.list-row .select').nth(229).click({ modifiers: ['Shift'] });
  await page.getByText('230 selected').waitFor();
  await page.getByRole('toolbar', { name: 'Selected items' }).getByRole('button', { name: 'Priority' }).click();
  await page.keyboard.type('urgent');
  await page.keyboard.press('Enter');
  await page.getByText('Priority of 230 items set to Urgent').first().waitFor({ state: 'attached' });
  assert.equal((await stage.json('list', '--filter', 'priority == urgent', '--limit', '0')).total, 230);
  assert.deepEqual(page.complaints, []);
}

export async function an_item_opens_as_a_sheet_over_the_board(stage) {
  const page = await board(stage);
  // Anywhere on the card.
  await page.locator('#card-2').click({ position: { x: 150, y: 45 } });
  const sheet = page.getByRole('dialog', { name: /Two/ });
  await sheet.getByRole('heading', { name: 'Two' }).waitFor();
  assert.match(page.url(), /[?&]item=2/);
  await stage.shot(page, 'sheet');
  await sheet.locator('#property-status').click();
  await page.getByRole('option', { name: 'Review' }).click();
  await column(page, 'review').locator('#card-2').waitFor();
  await sheet.locator('#property-status').getByText('Review').waitFor();
  // Escape leaves a text that is edited, not the item.
  await sheet.getByRole('heading', { name: 'Two' }).click();
  assert.equal(await sheet.locator('.item-doc').evaluate((part) => part.scrollTop), 0);
  await sheet.getByRole('textbox', { name: 'Title' }).press('Escape');
  await sheet.getByRole('heading', { name: 'Two' }).waitFor();
  await page.getByRole('button', { name: 'Previous item' }).click();
  await page.getByRole('dialog').getByRole('heading', { name: /One|Three/ }).waitFor();
  await page.goBack();
  await page.getByRole('dialog').getByRole('heading', { name: 'Two' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.sheet').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.closest('.card')?.id), 'card-2');
  // The address opens it again, and the page of the item is a link away.
  await page.goto(`${stage.url}/board/1?item=3`);
  await page.getByRole('dialog').getByRole('heading', { name: 'Three' }).waitFor();
  await page.getByRole('link', { name: 'Open as a page' }).click();
  await page.waitForURL(`${stage.url}/item/3`);
  assert.deepEqual(page.complaints, []);
}

export async function lanes_take_cards_of_other_epics(stage) {
  await stage.cairn('new', 'epic', 'Checkout');
  await stage.cairn('new', 'epic', 'Search');
  await stage.cairn('new', 'task', 'Pay', '--status', 'ready');
  await stage.cairn('new', 'task', 'Find');
  await stage.cairn('link', '3', '--parent', '1');
  await stage.cairn('link', '4', '--parent', '2');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all?group=epic`);
  const target = page.locator('.lane', { hasText: 'Search' }).locator('.cell').nth(2);
  await page.locator('#card-3').dragTo(target, { targetPosition: { x: 60, y: 10 } });
  await page.getByText('#3 moved to In progress').first().waitFor({ state: 'attached' });
  const moved = await stage.json('show', '3');
  assert.deepEqual([moved.status, moved.parent.number], ['in_progress', 2]);
  await stage.shot(page, 'lanes-dragged');
  assert.deepEqual(page.complaints, []);
}

export async function the_backlog_is_planned_by_dragging(stage) {
  await stage.cairn('new', 'milestone', 'Release 1');
  await stage.cairn('new', 'milestone', 'Release 2');
  for (const title of ['One', 'Two', 'Three']) await stage.cairn('new', 'task', title);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/backlog`);
  await page.locator('#card-2').dragTo(page.locator('#plan-1'), { sourcePosition: { x: 300, y: 16 } });
  await page.locator('#plan-1 #card-2').waitFor();
  await page.getByText('#2 moved to Release 1').first().waitFor({ state: 'attached' });
  assert.equal((await stage.json('show', '2')).milestone.title, 'Release 1');
  await page.keyboard.press('z');
  await page.locator('#plan-none #card-2').waitFor();
  assert.equal((await stage.json('show', '2')).milestone, null);
  assert.deepEqual(page.complaints, []);
}

export async function a_filter_is_words_chips_or_a_language(stage) {
  const page = await board(stage);
  const filter = page.getByRole('textbox', { name: 'Filter' });
  await filter.fill('two');
  await filter.press('Enter');
  await page.locator('#card-1').waitFor({ state: 'detached' });
  assert.equal(await page.locator('.card').count(), 1);
  await page.locator('.chip', { hasText: 'two' }).getByRole('link').click();
  await page.locator('#card-1').waitFor();
  // A mistake is explained, and the last valid result stays.
  await filter.fill('title ~ two');
  await filter.press('Enter');
  await page.locator('#card-1').waitFor({ state: 'detached' });
  await filter.fill('priority >= 5 and stauts == open');
  await filter.press('Enter');
  const mistake = page.getByRole('alert').filter({ hasText: 'stauts' });
  await mistake.waitFor();
  assert.match(await mistake.innerText(), /at column 19, did you mean `status`/);
  assert.match(await mistake.locator('pre').innerText(), /\n {18}\^~~~~~/);
  assert.equal(await filter.getAttribute('aria-invalid'), 'true');
  assert.equal(await page.locator('.card').count(), 1);
  await stage.shot(page, 'filter-mistake');
  await page.getByRole('link', { name: 'Clear' }).click();
  await page.locator('#card-1').waitFor();
  // A chip by the picker.
  await stage.cairn('label', '3', '+bug');
  await page.locator('#card-3 .label').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.keyboard.type('label');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'bug' }).click();
  await page.locator('#card-1').waitFor({ state: 'detached' });
  assert.deepEqual(await page.locator('.card').evaluateAll((cards) => cards.map(({ id }) => id)), ['card-3']);
  await page.goBack();
  await page.locator('#card-1').waitFor();
  // The browser itself logs every unsuccessful response.
  assert.deepEqual(page.complaints.filter((one) => !one.includes('400')), []);
}

export async function the_palette_finds_and_does(stage) {
  const page = await board(stage);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('three');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('option', { name: /Three/ }).first().waitFor();
  await stage.shot(page, 'palette');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /Three/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('go to epics');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${stage.url}/epics`);
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Title' }).fill('By key');
  await page.keyboard.press('Enter');
  await page.getByText('Created #4 By key').first().waitFor();
  assert.equal((await stage.json('show', '4')).title, 'By key');
  // The notice comes before the form closes, and an open form takes the keys.
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.waitForURL(`${stage.url}/milestones`);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await stage.shot(page, 'keys');
  assert.deepEqual(page.complaints, []);
}

export async function a_column_folds_and_the_page_never_scrolls(stage) {
  await cards(stage, 60);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), true);
  const head = column(page, 'backlog').locator('.column-head');
  const before = await head.boundingBox();
  await column(page, 'backlog').locator('.scroll').evaluate((list) => { list.scrollTop = 600; });
  assert.deepEqual(await head.boundingBox(), before);
  await page.getByRole('button', { name: 'Fold Done' }).click();
  await page.locator('.column.folded[data-status=done]').waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Unfold Done' }).click();
  await page.locator('.column.folded').waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
}

export async function what_cannot_be_sent_is_said_and_can_be_tried_again(stage) {
  const page = await board(stage);
  await page.context().setOffline(true);
  await page.locator('#card-2').dragTo(column(page, 'review'));
  const notice = page.locator('.toast.failed');
  await notice.getByText('The server cannot be reached').waitFor();
  // The card went back.
  await column(page, 'backlog').locator('#card-2').waitFor();
  await stage.shot(page, 'offline');
  await page.context().setOffline(false);
  await notice.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('#2 moved to Review').first().waitFor({ state: 'attached' });
  assert.equal(await status(stage, '2'), 'review');
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
  await page.goto(`${stage.url}/all`);
  const took = Date.now() - start;
  console.log(`        loaded in ${took} ms`);
  assert.ok(took < 10_000, `${took} ms`);
  assert.equal(await page.locator('.card').count(), 150);
  await page.locator('#card-1').dragTo(column(page, 'review'), { targetPosition: { x: 60, y: 60 } });
  await page.getByText('#1 moved to Review').first().waitFor({ state: 'attached' });
  assert.equal(await status(stage, '1'), 'review');
  await stage.cairn('edit', '3', '--priority', '10');
  await page.locator('#card-3').getByRole('img', { name: 'Priority: urgent' }).waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function a_long_column_shows_more(stage) {
  await cards(stage, 130);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all`);
  const shown = column(page, 'backlog').locator('.card');
  assert.equal(await shown.count(), 30);
  for (const n of [60, 120]) {
    await page.getByRole('link', { name: 'Show more' }).click();
    await shown.nth(n - 1).waitFor();
    assert.equal(await shown.count(), n);
  }
  await page.getByRole('link', { name: 'Show more' }).click();
  await shown.nth(129).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Show more' }).count(), 0);
  assert.deepEqual(page.complaints, []);
}

export async function who_may_only_read_is_offered_no_change(stage) {
  await stage.cairn('new', 'task', 'One');
  const { token } = await stage.json('token', 'create', 'guest', '--role', 'reader');
  const page = await stage.signedIn({}, token);
  for (const path of ['/', '/all', '/all/list', '/item/1', '/epics', '/milestones', '/backlog', '/review']) {
    await page.goto(stage.url + path);
    assert.equal(await page.locator('[data-act]:visible').evaluateAll((parts) => parts.filter(({ dataset }) => !['theme', 'keys', 'filter', 'fold'].includes(dataset.act)).length), 0, path);
    assert.equal(await page.locator('form:not([role=search]):not([action="/logout"])').count(), 0, path);
  }
  assert.deepEqual(page.complaints, []);
}
