// Stored text is shown and never executed; the security headers are enforced.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';

const TRICKS = [
  '<script>window.ran = 1</script>',
  '<img src=x onerror="window.ran = 2">',
  '[click](javascript:window.ran=3)',
  '<a href="javascript:window.ran=4">click</a>',
  '<svg onload="window.ran = 5"><script>window.ran = 6</script></svg>',
  '![pixel](https://other.example/pixel.png)',
  '<iframe srcdoc="<script>parent.ran = 7</script>"></iframe>',
  '<style>* { background: url(https://other.example/style) }</style>',
  '<math><mtext><table><mglyph><style><img src=x onerror="window.ran = 8">',
  '<details open ontoggle="window.ran = 9">x</details>',
  '<form action="/api/items"><input name="title" autofocus onfocus="window.ran = 10"></form>',
  '[x](data:text/html,<script>parent.ran=11</script>)',
  '"><script>window.ran = 12</script>',
];

export async function nothing_that_is_stored_runs(stage) {
  const all = TRICKS.join('\n\n');
  await stage.cairn('new', 'board', `Board ${TRICKS[0]}`);
  await stage.cairn('new', 'milestone', `Milestone ${TRICKS[1]}`);
  await stage.cairn('new', 'issue', `Title ${TRICKS[12]}`, '-d', all, '-l', '<b>x</b>', '--board', '1', '--milestone', '1', '--blocked', TRICKS[1],
    '--create', '--assign', 'Eve "><img src=x onerror=ran=13>');
  for (const trick of TRICKS) await stage.cairn('comment', '1', trick);
  writeFileSync(`${stage.place}/a.txt`, `${TRICKS[1]}\n`);
  await stage.cairn('inbox', 'send', '--file', 'a.txt', '--line', '1', '--comment', all);
  const page = await stage.signedIn();
  for (const path of ['/', '/mine', '/all', '/all?group=assignee', '/all/list', '/backlog', '/epics', '/insights', '/code', '/board/1', '/item/1', '/milestones', '/milestone/1', '/board/1/flow', '/review', '/search?q=title',
    `/all?find=${encodeURIComponent(TRICKS[12])}`, `/search?q=${encodeURIComponent(TRICKS[12])}`, `/item/${encodeURIComponent(TRICKS[0])}`]) {
    await page.goto(stage.url + path);
    await page.waitForLoadState('networkidle').catch(() => {});
    for (const link of await page.locator('.prose a').all()) {
      assert.match((await link.getAttribute('href')) ?? '', /^(https?:|mailto:|\/|$)/, path);
    }
    assert.equal(await page.locator('.prose :is(script, img, svg, iframe, style, form, input, math)').count(), 0, path);
    assert.equal(await page.evaluate(() => window.ran), undefined, path);
    assert.equal(await page.evaluate(() => document.querySelectorAll('main script').length), 0, path);
  }
  assert.deepEqual(page.complaints.filter((one) => !/status of 40[04]/.test(one)), []);
}

export async function the_policy_lets_no_foreign_script_in(stage) {
  const page = await stage.signedIn();
  const answer = await page.goto(`${stage.url}/all`);
  const policy = answer.headers()['content-security-policy'] ?? '';
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) assert.ok(policy.includes(part), policy);
  assert.ok(!policy.includes('unsafe'), policy);
  assert.equal(await page.locator('[style], style, script:not([src])').count(), 0);
}
