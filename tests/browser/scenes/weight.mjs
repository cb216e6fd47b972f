// What a large board costs: bytes on the wire, time to the first paint, time from a drop to the moved card.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const N_ITEMS = 5000;
const STATUSES = ['backlog', 'ready', 'in_progress', 'review', 'done'];
const LABELS = ['bug', 'login', 'payments', 'docs', 'a11y'];

async function large(stage) {
  const line = (n) => JSON.stringify({
    kind: ['task', 'issue', 'story'][n % 3], title: `Item ${n}: the ${LABELS[n % 5]} page does not say what went wrong`, status: STATUSES[n % 5], priority: n % 11,
    labels: [LABELS[n % 5]], assignee: `Person ${n % 7} <p${n % 7}@example.com>`,
  });
  writeFileSync(join(stage.place, 'work.jsonl'), Array.from({ length: N_ITEMS }, (_, n) => `${line(n)}\n`).join(''));
  await stage.cairn('import', 'work.jsonl');
}

/** Loads a page with an empty cache and returns bytes on the wire and the time of the first paint. */
async function load(stage, path) {
  const page = await stage.signedIn({ viewport: { width: 1440, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.clearBrowserCache');
  const sizes = new Map();
  let document = '';
  session.on('Network.requestWillBeSent', ({ requestId, type }) => { if (type === 'Document') document = requestId; });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
  await page.goto(stage.url + path);
  await page.locator('.card').first().waitFor();
  await page.waitForFunction(() => {
    const icons = performance.getEntriesByType('resource').find(({ name }) => name.includes('icons.svg'));
    return document.fonts.status === 'loaded' && icons?.responseEnd > 0;
  });
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
  return { page, total: [...sizes.values()].reduce((sum, size) => sum + size, 0), html: sizes.get(document), paint };
}

/** Drags a card and returns the milliseconds from the release of the button until the card is laid out in its new place; it waits for the frame after that. */
async function drag(page) {
  const card = page.locator('.column[data-status=backlog] .card').first();
  const id = await card.getAttribute('id');
  const [from, to] = [await card.boundingBox(), await page.locator('.column[data-status=ready] .card').first().boundingBox()];
  await page.evaluate((name) => {
    addEventListener('pointerup', () => { globalThis.released = performance.now(); }, { capture: true, once: true });
    // After the listeners of the page; asking for the place makes the browser compute the layout.
    addEventListener('pointerup', () => {
      if (!document.querySelector(`.column[data-status=ready] #${name}`)?.getBoundingClientRect().height) return;
      globalThis.placed = performance.now();
      requestAnimationFrame(() => requestAnimationFrame(() => { globalThis.painted = true; }));
    }, { once: true });
  }, id);
  await page.mouse.move(from.x + 60, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 60, to.y + 30, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction(() => globalThis.painted);
  return page.evaluate(() => globalThis.placed - globalThis.released);
}

/** Returns the milliseconds that the browser needs to lay out the whole board anew: what a busy machine can do just now. */
const relayout = (page) => page.evaluate(() => {
  const board = document.querySelector('.board');
  const start = performance.now();
  board.hidden = true;
  board.getBoundingClientRect();
  board.hidden = false;
  document.querySelector('.card').getBoundingClientRect();
  return performance.now() - start;
});

/** Returns the number of elements whose style the browser computes from a drop to the next frame: what the time depends on, on any machine. */
async function restyled(stage, page) {
  await stage.browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  await drag(page);
  const { traceEvents } = JSON.parse(await stage.browser.stopTracing());
  const drop = traceEvents.find(({ name, args }) => name === 'EventDispatch' && args.data?.type === 'pointerup');
  const frame = traceEvents.find(({ name, ts, pid }) => name === 'Commit' && ts > drop.ts && pid === drop.pid);
  const styles = traceEvents.filter(({ name, ts, pid }) => name === 'UpdateLayoutTree' && pid === drop.pid && ts >= drop.ts && ts <= frame.ts);
  return styles.reduce((sum, { args }) => sum + (args.elementCount ?? 0), 0);
}

/** Collects what the browser itself measures from the release of the button to the next frame on the screen, in steps of 8 ms. */
const observe = (page) => page.evaluate(() => {
  globalThis.frames = [];
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'pointerup') globalThis.frames.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });
});

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Returns the milliseconds from the release of a button to the next frame when only one dot changes its color: what any frame takes on this machine just now.
 * The browser reports none below 16.
 */
async function anyFrame(page) {
  await page.evaluate(() => {
    const dot = document.body.appendChild(document.createElement('i'));
    dot.id = 'dot';
    dot.style.cssText = 'position: fixed; right: 0; bottom: 0; width: 8px; height: 8px; z-index: 99; background: red';
    dot.addEventListener('pointerup', () => { dot.style.background = dot.style.background === 'red' ? 'blue' : 'red'; });
    globalThis.frames = [];
  });
  for (let n = 0; n < 5; n += 1) {
    await page.locator('#dot').click({ force: true });
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
  }
  return page.evaluate(() => {
    document.querySelector('#dot').remove();
    return globalThis.frames.splice(0);
  }).then((frames) => median([...frames, 16, 16, 16, 16, 16].slice(0, 5)));
}

export async function a_board_of_five_thousand_items_is_light(stage) {
  await large(stage);
  await load(stage, '/all').then(({ page }) => page.context().close());
  const loads = [];
  for (let n = 0; n < 3; n += 1) loads.push(await load(stage, '/all'));
  const [{ html, total, page }] = loads;
  const paint = median(loads.map((one) => one.paint));
  const [drags, whole] = [[], []];
  await observe(page);
  for (let n = 0; n < 5; n += 1) {
    whole.push(await relayout(page));
    drags.push(await drag(page));
    await page.evaluate(() => { delete globalThis.painted; });
  }
  const frame = median(await page.evaluate(() => globalThis.frames));
  const least = await anyFrame(page);
  // A long animation that draws every frame, such as that of a notice or of a card that is new, makes the next drop wait for one more.
  const smooth = await page.evaluate(() => document.getAnimations().filter((one) => one instanceof CSSAnimation).filter(({ playState, effect }) => (
    playState === 'running' && !getComputedStyle(effect.target, effect.pseudoElement).animationTimingFunction.startsWith('steps'))).length);
  assert.deepEqual([await page.locator('.toast').count(), smooth], [1, 0]);
  const n_restyled = await restyled(stage, page);
  const moved = median(drags);
  console.log(`        html ${html} B, total ${total} B, first paint ${Math.round(paint)} ms, drop to layout ${Math.round(moved)} ms, to the next frame ${frame} ms (of ${drags.length} drops; any frame ${least} ms), ${n_restyled} elements restyled; the whole board is laid out in ${Math.round(median(whole))} ms`);
  assert.ok(html <= 60 * 1024, `${html} bytes of HTML`);
  assert.ok(total <= 150 * 1024, `${total} bytes in all`);
  // 50 ms on a quiet machine; on a busy one, what laying out the board anew takes there, or any frame.
  const allowed = Math.max(50, 3 * median(whole));
  const allowedFrame = Math.max(allowed, 2 * least);
  assert.ok(moved <= allowed, `${moved} ms from the drop to the layout, ${allowed} allowed`);
  assert.ok(frame <= allowedFrame, `${frame} ms from the drop to the next frame, ${allowedFrame} allowed`);
  // The card, its old and its new place; not the 150 cards around them.
  assert.ok(n_restyled > 0 && n_restyled <= 140, `${n_restyled} elements restyled at a drop`);
  // The time of the first paint is that of the server's build and machine; docs/benchmarks.md has the figure of a release build.
  assert.ok(paint <= 3000, `${paint} ms to the first paint`);
}
