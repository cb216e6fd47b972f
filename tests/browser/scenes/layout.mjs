// The shape of pages beside the board: nothing is squeezed, stretched or left out at any width.

import assert from 'node:assert/strict';

import { shop } from '../project.mjs';

const box = (page, selector) => page.locator(selector).first().boundingBox();

export async function an_epic_has_its_sub_items_and_properties(stage) {
  await stage.cairn('new', 'milestone', 'Release 1');
  await stage.cairn('new', 'epic', 'Checkout', '--milestone', '1');
  for (const title of ['Pay by card', 'Pay by bank']) await stage.cairn('new', 'task', title, '--parent', '1');
  await stage.cairn('close', '2');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/item/1`);
  const parts = page.getByRole('region', { name: 'Sub-items' });
  assert.equal(await parts.locator('.count').innerText(), '1 of 2');
  await parts.getByText('Pay by bank').waitFor();
  assert.match(await page.locator('#property-milestone').innerText(), /Release 1/);
  // It is no place of its own, to which a link could lead.
  assert.equal(await page.getByRole('link', { name: 'Open the epic' }).count(), 0);
  await page.getByRole('button', { name: 'Add a sub-item' }).click();
  await page.getByLabel('Title of a new sub-item').fill('Pay by phone');
  await page.keyboard.press('Enter');
  await parts.getByText('Pay by phone').waitFor();
  // Feeds and rows open it as a sheet, as any other card.
  await page.goto(stage.url);
  await page.getByRole('region', { name: 'Activity' }).getByRole('link', { name: /Checkout/ }).first().click();
  await page.getByRole('dialog', { name: /Checkout/ }).waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function items_without_an_epic_have_a_row(stage) {
  await stage.cairn('new', 'epic', 'Checkout');
  await stage.cairn('new', 'task', 'Pay by card', '--parent', '1');
  const page = await stage.signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${stage.url}/epics`);
  assert.equal(await page.locator('#epic-none').count(), 0);
  await stage.cairn('new', 'task', 'Sweep the yard');
  const row = page.locator('#epic-none');
  await row.getByText('1 to do').first().waitFor();
  await row.locator('summary').click();
  await row.getByText('Sweep the yard').waitFor();
  assert.deepEqual(await stage.violations(page), []);
  assert.deepEqual(page.complaints, []);
}

export async function pages_keep_their_shape_at_every_width(stage) {
  await shop(stage);
  const page = await stage.signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${stage.url}/review?message=new`);
  assert.ok((await box(page, '#message-form [type=submit]')).height < 50);
  await page.goto(`${stage.url}/code`);
  for (const stat of await page.locator('.stats > div').all()) assert.ok((await stat.boundingBox()).height > 40);
  assert.ok((await box(page, '.stats')).height > 40);
  await page.goto(`${stage.url}/backlog`);
  const rows = await page.locator('#plan-none .list-row').evaluateAll((all) => all.map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]));
  for (const [n, [top]] of rows.slice(1).entries()) assert.ok(Math.abs(top - rows[n][1]) < 1, `row ${n + 1} begins at ${top}, after ${rows[n][1]}`);
  await page.goto(`${stage.url}/milestone/1`);
  const [plot, panel] = [await box(page, '.shapes'), await box(page, '.panel .in')];
  assert.ok(panel.x + panel.width - plot.x - plot.width < 32, `${plot.x + plot.width} of ${panel.x + panel.width}`);
  for (const [width, height] of [[2560, 1440], [1440, 900], [1024, 768], [390, 844]]) {
    await page.setViewportSize({ width, height });
    // What a wide screen has beside a file, a narrow one has below it.
    await page.goto(`${stage.url}/code/src/cart/session.rs`);
    const items = page.getByRole('heading', { name: 'Open items here' });
    await items.scrollIntoViewIfNeeded();
    const { x, y } = await items.boundingBox();
    assert.ok(x >= 0 && x < width && y >= 0 && y < height, `${width}: ${x}, ${y}`);
    const tall = await page.locator('.treemap text').first().evaluate((text) => text.getBoundingClientRect().height);
    assert.ok(tall >= 9 && tall < 26, `${width}: text of ${tall} px in the map`);
    // The unread remarks are counted in the rail, or in the bar that takes its place.
    assert.equal(await page.locator('.n.new:visible, .bottom .n:visible').first().innerText(), '3');
  }
  assert.deepEqual(page.complaints, []);
}
