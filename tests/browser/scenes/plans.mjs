// Planning pages: the charts of a milestone, the pace of epics, people in the palette.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const day = (offset) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** Twenty items of three weeks: ten are done, one is late. */
async function sprint(stage) {
  const items = [
    { id: 'm', kind: 'milestone', title: 'Sprint 24', due: day(9) },
    { id: 'e', kind: 'epic', title: 'Checkout rewrite', colour: '#7353d3', created: `${day(-25)}T08:00:00Z` },
    ...Array.from({ length: 20 }, (_, n) => ({
      id: `w${n}`, kind: 'task', title: `Task ${n}`, milestone: 'm', parent: 'e', created: `${day(-22)}T08:00:00Z`,
      ...(n % 2 ? { status: 'done', started: day(-20), closed: `${day(-18 + n / 2)}T08:00:00Z` } : { status: 'ready' }), ...(n === 4 ? { due: day(-2) } : {}),
    })),
  ];
  writeFileSync(join(stage.place, 'work.jsonl'), items.map((one) => `${JSON.stringify(one)}\n`).join(''));
  await stage.cairn('import', 'work.jsonl');
}

export async function a_milestone_says_whether_it_will_be_met(stage) {
  await sprint(stage);
  const page = await stage.signedIn({ viewport: { width: 1440, height: 900 } });
  for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await page.goto(`${stage.url}/milestone/1`);
    const [burndown, flow] = [page.getByRole('img', { name: /^Burn-down/ }), page.getByRole('img', { name: /^Cumulative flow/ })];
    await burndown.waitFor();
    await flow.waitFor();
    for (const text of ['Today', '10 left', 'Scope 20']) await burndown.getByText(text, { exact: true }).waitFor();
    assert.equal(await burndown.locator('.cone').count(), 1);
    // Text has its own size however wide the chart is, and stays inside the page.
    const texts = await page.locator('.chart text').evaluateAll((all) => all.filter((one) => getComputedStyle(one).display !== 'none').map((one) => {
      const { height: tall, left, right } = one.getBoundingClientRect();
      return { text: one.textContent, tall, left, right };
    }));
    for (const { text, tall, left, right } of texts) assert.ok(tall > 10 && tall < 17 && left >= 0 && right <= width, `${width}: ${text} is ${tall} high, from ${left} to ${right}`);
    // The days have room.
    const ticks = texts.filter(({ text }) => /^\d+ [A-Z][a-z]{2}$/.test(text));
    assert.ok(ticks.length >= 4, `${ticks.length}`);
    await stage.shot(page, `sprint-${width}`);
  }
  await page.getByRole('region', { name: 'Needs attention' }).getByText('Task 4', { exact: true }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Needs attention' }).locator('.list-row').count(), 1);
  // The pointer reads a day off the chart.
  await page.setViewportSize({ width: 1440, height: 900 });
  const read = page.getByRole('img', { name: /^Burn-down/ }).locator('.read:visible');
  assert.equal(await read.count(), 0);
  const plot = await page.locator('.chart .plot').first().boundingBox();
  await page.mouse.move(plot.x + plot.width / 3, plot.y + plot.height / 2);
  assert.match(await read.textContent(), /^\d+ [A-Z][a-z]+ \d+ left of 20$/);
  await stage.shot(page, 'sprint-readout');
  await page.goto(`${stage.url}/epics`);
  await page.getByRole('img', { name: /^Done per week, oldest first: / }).waitFor();
  await page.goto(`${stage.url}/insights`);
  await page.getByRole('img', { name: /^Finished per week/ }).waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function the_home_page_counts_all_that_is_late(stage) {
  const items = Array.from({ length: 12 }, (_, n) => ({ kind: 'task', title: `Late ${n}`, due: day(-3) })).concat({ kind: 'task', title: 'Soon', due: day(2) });
  writeFileSync(join(stage.place, 'work.jsonl'), items.map((one) => `${JSON.stringify(one)}\n`).join(''));
  await stage.cairn('import', 'work.jsonl');
  const page = await stage.signedIn();
  await page.goto(stage.url);
  await page.getByText('12 items are late, and 1 item is due this week.').waitFor();
  const panel = page.getByRole('region', { name: 'Late and due soon' });
  assert.equal(await panel.locator('header .count').innerText(), '13');
  await panel.getByRole('link', { name: 'See all' }).click();
  await page.locator('.list-row').nth(12).waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function the_palette_finds_people_by_an_at_sign(stage) {
  await stage.cairn('new', 'task', 'Hers', '--create', '--assign', 'Grace Hopper <grace@example.com>');
  await stage.cairn('new', 'task', 'Nobody has this');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all`);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('@gra');
  await page.getByRole('option', { name: 'Grace Hopper', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/filter=assignee/);
  assert.deepEqual(await page.locator('.list-row .card-title-link').allTextContents(), ['Hers']);
  assert.deepEqual(page.complaints, []);
}

export async function the_bar_of_selected_cards_is_tidy(stage) {
  await stage.cairn('new', 'task', 'One');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all`);
  await page.locator('#card-1 .card-title').focus();
  await page.keyboard.press('x');
  const bar = page.getByRole('toolbar', { name: 'Selected items' });
  const widths = await bar.locator('.separator').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  assert.deepEqual(widths, [1, 1]);
  // What is finished no longer says how urgent it was.
  await stage.cairn('edit', '1', '--priority', 'urgent');
  await page.locator('#card-1').getByRole('img', { name: 'Priority: urgent' }).waitFor();
  await stage.cairn('close', '1');
  await page.locator('.column[data-status=done] #card-1').waitFor();
  assert.equal(await page.locator('#card-1').getByRole('img', { name: /Priority/ }).count(), 0);
  assert.deepEqual(page.complaints, []);
}

export async function faces_are_the_same_in_pickers_as_on_cards(stage) {
  const people = ['Grace Hopper <grace@example.com>', 'Émile du Châtelet <emile@example.com>', 'mason <mason@example.com>'];
  await stage.cairn('member', 'add', 'mason', '--email', 'mason@example.com', '--role', 'agent');
  for (const [n, who] of people.entries()) await stage.cairn('new', 'task', `Task ${n}`, '--create', '--assign', who, '--status', 'in_progress');
  const page = await stage.signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${stage.url}/all`);
  const look = (face) => face.evaluate((one) => [one.className.trim().split(/\s+/).sort().join(' '), one.querySelector('svg') ? '' : one.textContent.slice(0, 2)]);
  await page.locator('#card-1 .card-title').focus();
  await page.keyboard.press('a');
  await page.getByRole('option', { name: 'Grace Hopper' }).waitFor();
  for (const n of people.keys()) {
    const name = people[n].replace(/ <.*/, '');
    assert.deepEqual(await look(page.getByRole('option', { name }).locator('.face')), await look(page.locator(`#card-${n + 1} .face`)), name);
  }
  // The tick is at the one who has the card, also where the page does not know the value.
  assert.deepEqual(await page.getByRole('option').filter({ has: page.locator('.check') }).allTextContents(), ['GHGrace Hopper']);
  await stage.shot(page, 'picker-faces');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: /Task 2/ }).locator('.face.agent').waitFor();
  await page.keyboard.press('Escape');
  // The rail says what an agent works on, until it is done.
  const work = page.locator('.rail').getByRole('link', { name: 'mason on #3' });
  await work.click();
  await page.getByRole('dialog', { name: /Task 2/ }).waitFor();
  await page.keyboard.press('Escape');
  await stage.cairn('close', '3');
  await work.waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
}
