// Ways to every page on every screen, what the palette offers in a place, and pages without anything to show.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';

async function board(stage) {
  await stage.cairn('new', 'board', 'Team board');
  await stage.cairn('new', 'epic', 'Checkout', '--colour', '#7353d3');
  for (const title of ['One', 'Two']) await stage.cairn('new', 'task', title, '--board', '1');
}

export async function a_phone_reaches_every_page_also_without_a_script(stage) {
  await board(stage);
  for (const javaScriptEnabled of [true, false]) {
    const page = await stage.signedIn({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, javaScriptEnabled });
    await page.goto(`${stage.url}/board/1`);
    assert.equal(await page.locator('.rail').isVisible(), false);
    await page.getByRole('link', { name: 'More' }).tap();
    await page.locator('.rail').waitFor();
    if (javaScriptEnabled) {
      assert.deepEqual(await stage.violations(page), []);
      await stage.shot(page, 'phone-more');
      assert.ok((await page.locator('.rail .nav').first().boundingBox()).height >= 44);
      await page.keyboard.press('Escape');
      await page.locator('.rail').waitFor({ state: 'hidden' });
      await page.getByRole('link', { name: 'More' }).tap();
    }
    await page.locator('.rail').getByRole('link', { name: 'Close' }).tap();
    await page.locator('.rail').waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'More' }).tap();
    await page.locator('.rail').getByRole('link', { name: 'Epics' }).tap();
    await page.waitForURL(`${stage.url}/epics`);
    assert.equal(await page.locator('.rail').isVisible(), false);
    assert.deepEqual(page.complaints, []);
  }
  // The narrow rail has the theme and the way out too.
  const { token } = await stage.json('token', 'create', 'me', '--role', 'writer');
  const tablet = await stage.signedIn({ viewport: { width: 1024, height: 768 } }, token);
  for (const name of ['Change the theme', 'Keyboard shortcuts', 'Log out']) assert.ok(await tablet.getByRole('button', { name }).isVisible(), name);
  const boxes = await tablet.locator('.rail .nav, .me > *').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
  assert.ok(Math.max(...boxes) <= 56, String(boxes));
}

export async function a_phone_has_the_properties_and_the_composer_in_reach(stage) {
  await board(stage);
  await stage.cairn('edit', '2', '--priority', 'high', '--due', '2026-01-31', '--description', 'Text. '.repeat(900));
  const page = await stage.signedIn({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  for (const path of ['/board/1?item=2', '/item/2']) {
    await page.goto(stage.url + path);
    const box = (selector) => page.locator(selector).first().boundingBox();
    await page.locator('#property-status').waitFor();
    const [title, status, text, composer] = [await box('.item-title'), await box('#property-status'), await box('#description'), await box('#composer')];
    assert.ok(title.y + title.height <= status.y && status.y + status.height <= text.y, path);
    assert.ok(composer.y + composer.height <= 844 && composer.y > 500, `${path}: the composer is at ${composer.y}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    // In the sheet, the number is not covered by buttons.
    await page.locator('#property-status').tap();
    await page.getByRole('option', { name: 'Ready', exact: true }).tap();
    await page.locator('#property-status', { hasText: 'Ready' }).waitFor();
    await stage.cairn('edit', '2', '--status', 'backlog');
    await page.locator('#property-status', { hasText: 'Backlog' }).waitFor();
    await stage.shot(page, `phone-properties${path.includes('?') ? '-sheet' : ''}`);
  }
  assert.deepEqual(await stage.violations(page), []);
}

export async function a_phone_selects_cards_by_a_long_press(stage) {
  for (const title of ['One', 'Two', 'Three']) await stage.cairn('new', 'task', title);
  const page = await stage.signedIn({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.goto(`${stage.url}/all`);
  const session = await page.context().newCDPSession(page);
  const { x, y } = await page.locator('#card-1').boundingBox();
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: x + 60, y: y + 40 }] });
  await page.getByText('1 selected').waitFor();
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  // A tap adds a card instead of opening it, another one takes it out.
  for (const [id, text] of [['card-2', '2 selected'], ['card-3', '3 selected'], ['card-3', '2 selected']]) {
    await page.locator(`#${id}`).tap({ position: { x: 60, y: 40 } });
    await page.getByText(text).waitFor();
  }
  assert.equal(await page.locator('.sheet').count(), 0);
  // The bar fits the screen, and the tick lies where the kind was.
  const [tick, kind] = [await page.locator('#card-1 .tick').boundingBox(), await page.locator('#card-1 .card-top > .i').boundingBox()];
  assert.ok(Math.abs(tick.x - kind.x) <= 3 && Math.abs(tick.y - kind.y) <= 3, `${tick.x}, ${tick.y} for ${kind.x}, ${kind.y}`);
  assert.ok(await page.locator('.bulk').evaluate((bar) => bar.scrollWidth <= bar.clientWidth));
  await stage.shot(page, 'phone-selected');
  await page.getByRole('toolbar', { name: 'Selected items' }).getByRole('button', { name: 'Priority' }).tap();
  await page.getByRole('option', { name: 'Urgent' }).tap();
  await page.locator('#card-2').getByRole('img', { name: 'Priority: urgent' }).waitFor();
  assert.deepEqual([(await stage.json('show', '1')).priority, (await stage.json('show', '3')).priority], [9, 0]);
  await page.getByRole('button', { name: 'Clear the selection' }).tap();
  await page.locator('#card-3').tap({ position: { x: 60, y: 40 } });
  await page.getByRole('dialog', { name: /Three/ }).waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function the_palette_offers_what_fits_the_place(stage) {
  await board(stage);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/board/1`);
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  const run = async (text) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(text);
    await palette.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
  };
  // The focused card.
  await page.locator('#card-2 .card-title').focus();
  await run('>status of #2');
  await page.locator('.picker input').fill('review');
  await page.keyboard.press('Enter');
  await page.locator('.column[data-status=review] #card-2').waitFor();
  // The selected cards.
  await page.locator('#card-2 .card-title').focus();
  await page.keyboard.press('x');
  await page.locator('#card-3 .card-title').focus();
  await page.keyboard.press('x');
  await run('>assignee 2 items');
  await page.locator('.picker input').fill('ada');
  await page.keyboard.press('Enter');
  await page.getByText('Assignee of 2 items set to Ada Lovelace').first().waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  // What the bars of the page offer, and a filter by the typed words.
  await run('>group epic');
  await page.waitForURL(/group=epic/);
  await run('>view list');
  await page.waitForURL(/\/board\/1\/list/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('two');
  await palette.getByRole('option', { name: 'Show only items with “two”' }).click();
  await page.waitForURL(/q=/);
  await page.goto(`${stage.url}/item/2`);
  await run('>close or reopen #2');
  await page.getByText('Closed #2').first().waitFor({ state: 'attached' });
  // Enter chooses what is found, also before it is there.
  await page.goto(`${stage.url}/all`);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('checkout');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /Checkout/ }).waitFor();
  await page.keyboard.press('Escape');
  // Nothing else is in reach, and what is not there is said.
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => document.activeElement.closest('.palette') !== null));
  await page.keyboard.type('#nothingofthis');
  await palette.getByText('Nothing found').waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function what_is_filtered_away_is_said_with_a_way_back(stage) {
  await board(stage);
  await stage.cairn('new', 'board', 'Empty board');
  const page = await stage.signedIn();
  for (const layout of ['', '/list', '/timeline']) {
    await page.goto(`${stage.url}/board/1${layout}?q=zzzz`);
    await page.getByRole('heading', { name: 'No items match' }).waitFor();
    assert.deepEqual(await stage.violations(page), [], layout);
    await page.getByRole('link', { name: 'Clear the filter' }).click();
    await page.getByRole('heading', { name: 'No items match' }).waitFor({ state: 'detached' });
    assert.doesNotMatch(page.url(), /q=/);
  }
  await page.goto(`${stage.url}/board/2`);
  await page.getByRole('heading', { name: 'Nothing in Empty board yet' }).waitFor();
  await page.getByRole('button', { name: 'New item' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('The first');
  await page.keyboard.press('Enter');
  await page.locator('.card', { hasText: 'The first' }).waitFor();
  assert.equal((await stage.json('show', '4')).board.number, 2);
  assert.deepEqual(page.complaints, []);
}

export async function an_item_without_entries_has_no_empty_headings(stage) {
  await board(stage);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/item/2`);
  for (const name of ['Sub-items', 'Links', 'Attachments', 'Code it touches']) assert.equal(await page.getByRole('heading', { name }).count(), 0, name);
  await page.getByRole('button', { name: 'Add a sub-item' }).click();
  await page.getByLabel('Title of a new sub-item').fill('A part');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sub-items' }).waitFor();
  await page.getByText('A part').first().waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Links' }).count(), 0);
  assert.deepEqual(page.complaints, []);
}

export async function long_names_stay_in_their_columns(stage) {
  const long = 'Fewer lost orders: one cart, one price, one tap, and no second page that asks for the same address again. '.repeat(3);
  writeFileSync(`${stage.home}/epics.jsonl`, [0, 1].map((n) => JSON.stringify({ kind: 'epic', title: `Epic ${n} ${'verylong'.repeat(n * 20)}`, description: long })).join('\n'));
  await stage.cairn('import', `${stage.home}/epics.jsonl`);
  const page = await stage.signedIn();
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${stage.url}/epics`);
    const overlaps = await page.locator('.epic-row').evaluateAll((rows) => rows.filter((row) => {
      const [name, share] = [row.querySelector('.epic-name small').getBoundingClientRect(), row.querySelector('.share').getBoundingClientRect()];
      return name.right > share.left;
    }).length);
    assert.equal(overlaps, 0, String(width));
  }
}

export async function keys_are_named_as_on_the_readers_machine(stage) {
  await board(stage);
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/board/1`);
  const shown = () => page.locator('.find kbd').innerText();
  assert.equal(await shown(), 'Ctrl K');
  // Still after the page was refreshed.
  await stage.cairn('new', 'task', 'Three', '--board', '1');
  await page.getByText('Three').waitFor();
  assert.equal(await shown(), 'Ctrl K');
  const mac = await stage.window();
  await mac.addInitScript(() => Object.defineProperty(navigator, 'platform', { value: 'MacIntel' }));
  await mac.context().addCookies(await page.context().cookies());
  await mac.goto(`${stage.url}/board/1`);
  assert.equal(await mac.locator('.find kbd').innerText(), '⌘K');
}

export async function today_is_in_view_on_the_line_of_time(stage) {
  await stage.cairn('new', 'task', 'Long ago', '--due', '2020-01-31');
  for (let n = 0; n < 2; n += 1) await stage.cairn('new', 'task', `Later ${n}`, '--due', '2031-01-31');
  const page = await stage.signedIn({ viewport: { width: 1024, height: 768 } });
  await page.goto(`${stage.url}/all/timeline`);
  const { x } = await page.locator('.timeline .today').boundingBox();
  assert.ok(x > 300 && x < 1000, String(x));
}

const EXTREME = [
  { id: 'b', kind: 'board', title: `Board ${'with a long name '.repeat(12)}` },
  { id: 'm', kind: 'milestone', title: `إعادة ترتيب ${'and a long end '.repeat(12)}`, due: '2031-01-31' },
  { id: 'e', kind: 'epic', title: 'An epic with a title that goes on. '.repeat(8), colour: '#7353d3' },
  {
    id: 'a', kind: 'task', title: 'Words '.repeat(120).trim(), board: 'b', parent: 'e', milestone: 'm', due: '2024-01-31', priority: 10, description: `- [ ] ${'W'.repeat(300)}`,
    labels: Array.from({ length: 12 }, (_, n) => `label-${n}-${'x'.repeat(n % 3 ? 0 : 60)}`), assignee: `${'Maximiliana '.repeat(6)}<max@example.com>`,
  },
  { id: 'c', kind: 'issue', title: 'W'.repeat(300), board: 'b', labels: ['V'.repeat(100)] },
];

export async function long_texts_stay_in_their_places(stage) {
  writeFileSync(`${stage.home}/extreme.jsonl`, EXTREME.map((one) => JSON.stringify(one)).join('\n'));
  await stage.cairn('import', `${stage.home}/extreme.jsonl`);
  const filter = encodeURIComponent(`labels == "${'V'.repeat(100)}" and status != done and priority < 9 and kind != story`);
  const paths = ['/', '/board/1', '/board/1?group=epic', '/board/1/list', '/board/1?item=2', '/item/2', '/milestone/1', '/backlog', '/epics', `/all?filter=${filter}`, '/all/timeline'];
  for (const width of [1440, 1024, 390]) {
    const page = await stage.signedIn({ viewport: { width, height: 844 } });
    for (const path of paths) {
      await page.goto(stage.url + path);
      if (path.includes('item=')) await page.locator('.sheet .item').waitFor();
      const overlaps = await page.evaluate(() => {
        const found = [];
        for (const row of document.querySelectorAll('.topbar, .topbar h1, .crumb, .sheet-head, .filters, .chip, .list-row, .row, .lane-head, .panel > header, .card-top, .card-foot, .column-head, .property')) {
          const parts = [...row.children].map((part) => [part, part.getBoundingClientRect(), getComputedStyle(part).position]).filter(([, { width: wide, height }, place]) => wide > 1 && height > 1 && place !== 'absolute' && place !== 'sticky');
          for (const [n, [part, box]] of parts.entries()) {
            for (const [other, next] of parts.slice(n + 1)) {
              const [x, y] = [Math.min(box.right, next.right) - Math.max(box.left, next.left), Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top)];
              if (x > 1 && y > 1) found.push(`${row.className}: ${part.className || part.tagName} over ${other.className || other.tagName}`);
            }
            if (part.scrollWidth > part.clientWidth + 2 && part.clientWidth && getComputedStyle(part).overflowX === 'visible' && getComputedStyle(part).display !== 'inline') found.push(`${row.className}: ${part.className || part.tagName} is wider than its place`);
          }
        }
        return [...new Set(found)];
      });
      assert.deepEqual(overlaps, [], `${width} ${path}`);
    }
    await page.context().close();
  }
}

export async function the_menus_of_the_bar_open_on_every_screen(stage) {
  await board(stage);
  for (const width of [1440, 1024, 390]) {
    const page = await stage.signedIn({ viewport: { width, height: 844 } });
    await page.goto(`${stage.url}/board/1`);
    for (const [name, choice, wanted] of [['Sort', 'Priority', /sort=priority/], ['Group', 'Epic', /group=epic/]]) {
      const menu = page.locator(`#menu-${name.toLowerCase()}`);
      await menu.locator('summary').click();
      // A click would scroll a cut off list into view.
      const isSeen = await menu.getByRole('link', { name: choice }).evaluate((link) => {
        const { left, top, width: wide, height } = link.getBoundingClientRect();
        return link.contains(document.elementFromPoint(left + wide / 2, top + height / 2));
      });
      assert.ok(isSeen, `${name} at ${width}`);
      await menu.getByRole('link', { name: choice }).click();
      await page.waitForURL(wanted);
    }
    await page.locator('#board-menu summary').click();
    await page.getByRole('link', { name: 'About this board' }).click();
    await page.waitForURL(/\/item\//);
    assert.deepEqual(page.complaints, []);
  }
}
