// Attachments, declared labels, limits, the timeline, commits and colored code.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

// A picture of one red pixel.
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

async function item(stage) {
  await stage.cairn('new', 'issue', 'Login fails');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/item/1`);
  return page;
}

/** Sends the event of a browser that pastes or drops a file. */
const give = (page, selector, name, file) => page.locator(selector).evaluate((target, { event, file: { bytes, name: fileName, type } }) => {
  const content = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([content], fileName, { type }));
  const data = event === 'paste' ? { clipboardData: transfer } : { dataTransfer: transfer };
  target.dispatchEvent(Object.assign(new (event === 'paste' ? ClipboardEvent : DragEvent)(event, { bubbles: true, cancelable: true, ...data })));
}, { event: name, file });

export async function a_pasted_picture_is_attached_and_shown_in_the_text(stage) {
  const page = await item(stage);
  const comment = page.getByPlaceholder('Comment');
  await comment.fill('It looks like this: ');
  await give(page, '#composer textarea', 'paste', { bytes: PIXEL, name: 'image.png', type: 'image/png' });
  await page.waitForFunction(() => /!\[picture-\w+\.png\]\(attachment:[0-9a-f-]{36}\)/.test(document.querySelector('#composer textarea').value));
  await page.getByRole('button', { name: 'Comment' }).click();
  const picture = page.locator('.comment .prose img');
  await picture.waitFor();
  assert.equal(await picture.evaluate(async (image) => { await image.decode(); return image.naturalWidth; }), 1);
  // A dropped file that is no picture is attached, listed and downloaded, never opened.
  await give(page, '.item-doc', 'drop', { bytes: btoa('<script>alert(1)</script>'), name: 'page.html', type: 'text/html' });
  const entry = page.locator('.attachment', { hasText: 'page.html' });
  await entry.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), entry.getByRole('link').click()]);
  assert.equal(readFileSync(await download.path(), 'utf8'), '<script>alert(1)</script>');
  await stage.shot(page, 'attachments');
  assert.deepEqual((await stage.json('attach', '1')).map(({ type }) => type), ['image/png', 'text/html']);
  await entry.hover();
  await page.getByRole('button', { name: 'Remove the attachment page.html' }).click();
  await entry.waitFor({ state: 'detached' });
  assert.equal((await stage.json('attach', '1')).length, 1);
  assert.deepEqual(page.complaints, []);
}

export async function a_removed_file_comes_back_also_in_the_texts(stage) {
  writeFileSync(`${stage.place}/shot.png`, Buffer.from(PIXEL, 'base64'));
  await stage.cairn('new', 'issue', 'Login fails');
  const [{ id }] = (await stage.json('attach', '1', 'shot.png')).attachments;
  await stage.cairn('edit', '1', '--description', `It looks like this: ![shot](attachment:${id})`);
  await stage.cairn('comment', '1', `Again ![shot](attachment:${id})`);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/item/1`);
  const entry = page.locator('.attachment', { hasText: 'shot.png' });
  await entry.hover();
  await page.getByRole('button', { name: 'Remove the attachment shot.png' }).click();
  await entry.waitFor({ state: 'detached' });
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await entry.waitFor();
  for (const place of ['#description', '.comment']) {
    const picture = page.locator(`${place} .prose img`);
    await picture.waitFor();
    assert.equal(await picture.evaluate(async (image) => { await image.decode(); return image.naturalWidth; }), 1, place);
  }
  assert.deepEqual((await stage.json('attach', '1')).map(({ name, size }) => [name, size]), [['shot.png', Buffer.from(PIXEL, 'base64').length]]);
}

export async function a_file_of_the_command_line_is_on_the_card_and_the_page(stage) {
  writeFileSync(`${stage.place}/shot.png`, Buffer.from(PIXEL, 'base64'));
  const page = await item(stage);
  await stage.cairn('attach', '1', 'shot.png');
  await page.locator('.attachment img').waitFor();
  await page.goto(`${stage.url}/all`);
  await page.locator('#card-1').getByTitle('1 attachment').waitFor();
  // Too large a file is refused before it is sent.
  await page.goto(`${stage.url}/item/1`);
  await page.locator('#composer textarea').evaluate((field) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(10 * 1024 * 1024 + 1)], 'big.bin'));
    field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: transfer }));
  });
  await page.getByText('big.bin is larger than 10 MiB.').waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function labels_have_the_colors_that_the_team_chose(stage) {
  await stage.cairn('new', 'task', 'One', '-l', 'bug', '-l', 'wild');
  await stage.cairn('label', 'define', 'bug', '--about', 'It is broken');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/labels`);
  const row = page.locator('[data-label=bug]');
  await row.getByRole('button', { name: 'Rose' }).click();
  await row.locator('.label.h-rose').waitFor();
  assert.equal((await stage.json('label', 'list'))[0].color, '#d63d5c');
  await page.getByLabel('Name of a new label').fill('docs');
  await page.getByRole('button', { name: 'Declare' }).click();
  await page.locator('[data-label=docs]').waitFor();
  await stage.shot(page, 'labels');
  await page.goto(`${stage.url}/all`);
  await page.locator('#card-1 .label.h-rose').waitFor();
  assert.equal(await page.locator('#card-1 .label.h-none').innerText(), 'wild');
  // The picker shows the same colors and what a label is for.
  await page.locator('#card-1').hover();
  await page.getByRole('button', { name: 'Label #1' }).click();
  await page.locator('.picker').getByText('It is broken').waitFor();
  assert.equal(await page.locator('.picker .label.h-rose').count(), 1);
  assert.deepEqual(page.complaints, []);
}

export async function a_column_says_when_its_limit_is_exceeded(stage) {
  for (const title of ['One', 'Two', 'Three']) await stage.cairn('new', 'task', title, '--status', 'in_progress');
  await stage.cairn('workflow', 'set', 'task', 'in_progress', '--limit', '2');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all`);
  const count = page.locator('.column[data-status=in_progress] .column-head .count');
  assert.match(await count.innerText(), /^3 \/ 2/);
  assert.ok(await count.evaluate((part) => part.matches('.over')));
  await page.locator('#card-3').dragTo(page.locator('.column[data-status=review]'));
  await page.locator('.column[data-status=in_progress] .column-head .count', { hasText: '2 / 2' }).waitFor();
  assert.match(await count.innerText(), /^2 \/ 2/);
  assert.deepEqual(page.complaints, []);
}

export async function a_drag_leaves_the_excess_of_a_column_in_sight(stage) {
  await stage.cairn('workflow', 'set', 'task', 'in_progress', '--limit', '1');
  for (const title of ['One', 'Two', 'Three']) await stage.cairn('new', 'task', title, '--status', 'in_progress');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all`);
  const color = () => page.locator('.column[data-status=in_progress] .count').evaluate((count) => getComputedStyle(count).color);
  const before = await color();
  const { x, y } = await page.locator('#card-1').boundingBox();
  await page.mouse.move(x + 60, y + 20);
  await page.mouse.down();
  await page.mouse.move(x + 400, y + 40, { steps: 6 });
  await page.locator('.card.lifted').waitFor();
  assert.equal(await color(), before);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  assert.equal(await color(), before);
  // Sorted by something else, the column under the pointer is tinted as a whole.
  await page.goto(`${stage.url}/all?sort=title`);
  await page.mouse.move(x + 60, y + 20);
  await page.mouse.down();
  await page.mouse.move(x + 400, y + 40, { steps: 6 });
  await page.locator('.column.target').waitFor();
  assert.equal(await page.locator('.insertion:visible').count(), 0);
  await page.mouse.up();
  assert.deepEqual(page.complaints, []);
}

export async function dated_items_lie_on_a_line_of_time(stage) {
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all/timeline`);
  await page.getByText('No item has a date').waitFor();
  await stage.cairn('new', 'epic', 'Checkout', '--colour', '#7353d3');
  await stage.cairn('new', 'task', 'Pay by card', '--due', 'tomorrow', '--parent', '1');
  await stage.cairn('new', 'task', 'Late', '--due', 'yesterday');
  await stage.cairn('new', 'task', 'Some day');
  // The page follows item by item: the last one is there when all are.
  await page.locator('section', { hasText: 'Without a date' }).getByText('Some day').waitFor();
  assert.equal(await page.locator('.timeline .span').count(), 2);
  assert.equal(await page.locator('.timeline .span.late').count(), 1);
  assert.equal(await page.locator('.timeline .span.h-violet').count(), 1);
  await stage.shot(page, 'timeline');
  await page.getByRole('link', { name: 'Late' }).click();
  await page.locator('.sheet').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('group', { name: 'View' }).getByRole('link', { name: 'List' }).click();
  await page.waitForURL(`${stage.url}/all/list`);
  assert.deepEqual(page.complaints, []);
}

export async function an_item_shows_its_commits_and_its_code_in_color(stage) {
  await stage.cairn('new', 'task', 'Open it', '-d', '```rust\nfn open() {} // once\n```\n\nSee https://example.com/x.');
  writeFileSync(`${stage.place}/a.rs`, 'fn open() {}\n');
  execFileSync('git', ['add', 'a.rs'], stage.options());
  execFileSync('git', ['commit', '-qm', 'Open the door\n\nRefs #1'], stage.options());
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/item/1`);
  await page.locator('.commit', { hasText: 'Open the door' }).waitFor();
  assert.equal(await page.locator('.prose .hl-kw').innerText(), 'fn');
  assert.equal(await page.locator('.prose .hl-com').innerText(), '// once');
  const color = (selector) => page.locator(selector).evaluate((part) => getComputedStyle(part).color);
  assert.notEqual(await color('.prose .hl-kw'), await color('.prose pre code'));
  assert.equal(await page.locator('.prose a').getAttribute('href'), 'https://example.com/x');
  assert.deepEqual(page.complaints, []);
}
