// Rendering and accessibility: phone width, dark and light, without JavaScript, for screen readers.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

import { shopItems } from '../project.mjs';

async function shop(stage) {
  await stage.cairn('new', 'milestone', 'Release 1.0', '--due', '2027-01-31');
  await stage.cairn('new', 'board', 'Team board');
  await stage.cairn('new', 'issue', 'Login fails on Safari', '-l', 'bug', '-l', 'login', '--priority', '8', '--milestone', '1', '--board', '1',
    '--create', '--assign', 'Grace Hopper <grace@example.com>', '--due', '2026-01-31', '-d', '# What\n\n- [x] a\n- [ ] b\n\n|a|b|\n|-|-|\n|1|2|\n\n```\n' + 'wide '.repeat(60) + '\n```');
  await stage.cairn('new', 'task', 'Averylongwordwithoutanyplacetobreakitanywhere'.repeat(3), '--board', '1', '--status', 'review', '--size', 'small', '--blocked', 'vendor');
  await stage.cairn('new', 'story', 'Pay by card', '--board', '1', '--status', 'in_progress', '--assign', 'me');
  await stage.cairn('new', 'task', 'Done already', '--board', '1', '--milestone', '1');
  await stage.cairn('close', '4');
  await stage.cairn('comment', '1', 'Also on **iPad**.');
  await stage.cairn('link', '2', '--blocks', '1');
  await stage.cairn('comment', '1', '--edit-comment', '1', 'Also on **iPad**, says Grace.');
  await stage.cairn('link', '1', '--touches', 'login.rs');
  await stage.cairn('label', 'define', 'bug', '--color', 'rose', '--about', 'Something does not work');
  await stage.cairn('view', 'save', 'Bugs', '--label', 'bug');
  await stage.cairn('workflow', 'set', 'story', 'in_progress', '--limit', '3');
  await stage.cairn('new', 'epic', 'Checkout', '--colour', '#7353d3', '--board', '1');
  await stage.cairn('link', '3', '--parent', '5');
  writeFileSync(`${stage.place}/login.rs`, 'fn open() {\n    todo()\n}\n');
  execFileSync('git', ['add', 'login.rs'], stage.options());
  execFileSync('git', ['commit', '-qm', 'Start'], stage.options());
  await stage.cairn('inbox', 'send', '--file', 'login.rs', '--line', '2', '--comment', 'Why is this **empty**?');
  const [{ id }] = (await stage.json('inbox', 'list')).items;
  await stage.cairn('inbox', 'reply', id, 'It is not done.');
}

const PAGES = {
  home: '/', mine: '/mine', board: '/board/1', lanes: '/board/1?group=epic', list: '/board/1/list', timeline: '/board/1/timeline', labels: '/labels', work: '/all', item: '/item/1', epics: '/epics',
  milestones: '/milestones', milestone: '/milestone/1', backlog: '/backlog', insights: '/insights', flow: '/board/1/flow', inbox: '/review',
  remark: '/review?message=new', search: '/search?q=login', chips: '/all?filter=labels+%3D%3D+bug', mistake: '/all?find=colour+%3D%3D+red',
  view: '/view/Bugs', code: '/code', file: '/code/login.rs', touched: '/item/1/code', sheet: '/board/1?item=1', nowhere: '/nowhere', missing: '/item/99',
};

// The browser itself logs every unsuccessful response.
const honest = (complaints) => complaints.filter((one) => !/status of 40[04]/.test(one));

export async function no_page_is_wider_than_a_phone(stage) {
  await shop(stage);
  const page = await stage.signedIn({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  const violations = [];
  for (const [name, path] of Object.entries(PAGES)) {
    await page.goto(stage.url + path);
    const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= screen && screen === 360, `${name}: ${wide} of ${screen}`);
    await stage.shot(page, `phone-${name}`);
    const small = await page.locator('.chart text, .treemap text').evaluateAll((texts) => texts.filter((text) => getComputedStyle(text).display !== 'none' && text.getBoundingClientRect().height < 9).length);
    assert.equal(small, 0, `${name}: text that is too small to be read`);
    // Some names are shown differently where there is little room.
    violations.push(...(await stage.violations(page)).map((one) => `${name}: ${one}`));
  }
  assert.deepEqual(violations, []);
  // Touch cannot drag, but can use the menu.
  await page.goto(`${stage.url}/board/1`);
  await page.getByRole('button', { name: 'Move #1' }).tap();
  await page.getByRole('option', { name: 'Ready', exact: true }).tap();
  await page.locator('.column[data-status=ready] #card-1').waitFor();
  assert.deepEqual(honest(page.complaints), []);
}

export async function nothing_is_wrong_for_those_who_do_not_see_it(stage) {
  await shop(stage);
  for (const colorScheme of ['light', 'dark']) {
    const stranger = await stage.window({ colorScheme });
    await stranger.goto(`${stage.url}/login`);
    assert.deepEqual(await stage.violations(stranger), [], `${colorScheme} login`);
    await stage.shot(stranger, `${colorScheme}-login`);
    for (const [name, path] of Object.entries(PAGES)) {
      const page = await stage.signedIn({ colorScheme, viewport: { width: 1440, height: 900 } });
      await page.goto(stage.url + path);
      const violations = await stage.violations(page);
      await stage.shot(page, `${colorScheme}-${name}`);
      assert.deepEqual(violations, [], `${colorScheme} ${name}`);
      await page.context().close();
    }
  }
}

export async function forty_cards_are_seen_at_once_on_a_laptop(stage) {
  await shopItems(stage);
  const page = await stage.signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${stage.url}/board/1`);
  await page.evaluate(() => document.fonts.ready);
  const n_whole = await page.locator('.column').evaluateAll((columns) => columns.flatMap((column) => {
    const end = column.getBoundingClientRect().bottom;
    return [...column.querySelectorAll('.card')].filter((card) => card.getBoundingClientRect().bottom <= end);
  }).length);
  assert.ok(n_whole >= 40, `${n_whole} whole cards`);
  await stage.shot(page, 'forty-cards');
  // On a wide screen the columns use the room, on any the page itself never scrolls.
  for (const [width, height] of [[2560, 1440], [1920, 1080], [1024, 768]]) {
    await page.setViewportSize({ width, height });
    for (const path of ['/board/1', '/board/1?group=epic', '/board/1/list', '/', '/epics', '/milestone/1']) {
      await page.goto(stage.url + path);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight), `${path} at ${width}`);
      await stage.shot(page, `wide${path.replaceAll(/[^a-z0-9]+/g, '-')}-${width}`);
    }
  }
  assert.deepEqual(page.complaints, []);
}

export async function every_page_is_pictured_in_three_widths(stage) {
  await shop(stage);
  for (const colorScheme of ['light', 'dark']) {
    const page = await stage.signedIn({ colorScheme });
    for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
      await page.setViewportSize({ width, height });
      for (const [name, path] of Object.entries(PAGES)) {
        await page.goto(stage.url + path);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name}: ${wide} of ${width}`);
        await stage.shot(page, `${name}-${width}-${colorScheme}`);
      }
    }
    assert.deepEqual(honest(page.complaints), []);
  }
}

export async function what_is_unfolded_is_right_for_everyone_too(stage) {
  await shop(stage);
  const page = await stage.signedIn();
  for (const path of ['/item/1', '/review', '/milestone/1', '/epics', '/board/1?group=epic', '/board/1/list']) {
    await page.addInitScript(() => addEventListener('load', () => {
      for (const fold of document.querySelectorAll('details')) fold.open = true;
    }));
    await page.goto(stage.url + path);
    assert.deepEqual(await stage.violations(page), [], path);
    await stage.shot(page, `unfolded${path.replaceAll('/', '-')}`);
  }
}

export async function long_labels_and_other_scripts_keep_their_shape(stage) {
  const [long, arabic] = ['a label of many words that no card has room for and that is cut', 'عنوان باللغة العربية (v2.0)'];
  await stage.cairn('new', 'task', 'With a label', '-l', long);
  await stage.cairn('new', 'task', arabic, '-d', `${arabic}\n\nAnd English.`);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all`);
  const label = page.locator('#card-1 .label');
  const { height, width } = await label.boundingBox();
  assert.ok(height < 24 && width < (await page.locator('#card-1').boundingBox()).width, `${width} × ${height}`);
  assert.equal(await label.getAttribute('title'), long);
  // Compares the start of the text with the start of its box.
  const gaps = (selector) => page.locator(selector).evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return [text.left - box.left, box.right - text.right].map(Math.round);
  });
  assert.equal((await gaps('#card-1 .card-title'))[0], 0);
  assert.ok((await gaps('#card-2 .card-title'))[1] <= 1);
  await page.goto(`${stage.url}/item/2`);
  assert.equal((await gaps('#description .prose p:first-child'))[1], 0);
  assert.equal((await gaps('#description .prose p:last-child'))[0], 0);
}

export async function dark_is_dark_and_light_is_light(stage) {
  const ground = async (colorScheme) => {
    const page = await stage.signedIn({ colorScheme });
    await page.goto(`${stage.url}/`);
    const sum = async () => {
      const color = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      return color.match(/\d+/g).reduce((total, part) => total + Number(part), 0);
    };
    return { page, sum };
  };
  const dark = await ground('dark');
  assert.ok((await dark.sum()) < 150);
  const light = await ground('light');
  assert.ok((await light.sum()) > 600);
  // The switch goes from the system's choice to light, to dark, and back; it survives a reload without a flash.
  const change = light.page.getByRole('button', { name: 'Change the theme' });
  await change.click();
  await change.click();
  assert.ok((await light.sum()) < 150);
  await light.page.reload();
  assert.ok((await light.sum()) < 150);
  assert.equal(await light.page.locator('html').getAttribute('data-theme'), 'dark');
  await change.click();
  assert.ok((await light.sum()) > 600);
}

export async function without_a_script_everything_can_be_read(stage) {
  await shop(stage);
  const page = await stage.signedIn({ javaScriptEnabled: false });
  for (const path of Object.values(PAGES)) {
    await page.goto(stage.url + path);
    assert.ok(await page.getByRole('heading', { level: 1 }).first().isVisible(), path);
    assert.equal(await page.locator('.js:visible').count(), 0, path);
  }
  await page.goto(`${stage.url}/board/1`);
  await page.getByText('Login fails on Safari').click();
  await page.waitForURL(`${stage.url}/item/1`);
  await page.getByText('Also on iPad, says Grace.').waitFor();
  assert.equal(await page.getByText('Grace Hopper').first().isVisible(), true);
  await page.goto(`${stage.url}/board/1?filter=labels+%3D%3D+bug`);
  assert.equal(await page.locator('.card').count(), 1);
  assert.deepEqual(honest(page.complaints), []);
}
