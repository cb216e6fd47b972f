// An empty project and its first steps; mentions of people; saved views in the rail.

import assert from 'node:assert/strict';

export async function an_empty_project_offers_three_first_steps(stage) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await stage.signedIn({ colorScheme, viewport: { width: 1440, height: 900 } });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(stage.url);
    assert.deepEqual(await stage.violations(page), [], `${colorScheme} empty`);
    await stage.shot(page, `empty-1440-${colorScheme}`);
    for (const [name, command] of [['Import', 'cairn import github issues.json --dry-run'], ['Connect your agent', 'cairn agents install']]) {
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      const dialog = page.getByRole('dialog', { name });
      await dialog.waitFor();
      assert.deepEqual(await stage.violations(page), [], `${colorScheme} ${name}`);
      await stage.shot(page, `steps-${name.toLowerCase().replaceAll(' ', '-')}-${colorScheme}`);
      await dialog.getByRole('button', { name: `Copy ${command}` }).click();
      await page.locator('#announcer', { hasText: 'Command copied' }).waitFor({ state: 'attached' });
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'hidden' });
    }
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
  const phone = await stage.signedIn({ viewport: { width: 390, height: 844 } });
  await phone.goto(stage.url);
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await stage.shot(phone, 'empty-390-light');
}

export async function a_mentioned_person_leads_to_their_work(stage) {
  await stage.cairn('new', 'issue', 'Login fails', '--create', '--assign', 'Grace Hopper <grace@example.com>', '-d', 'Ask @GraceHopper, not @Override.');
  await stage.cairn('new', 'task', 'Somebody else does this');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/item/1`);
  assert.equal(await page.locator('#description').getByRole('link').count(), 1);
  await page.getByRole('link', { name: '@GraceHopper' }).click();
  await page.locator('.card').first().waitFor();
  assert.deepEqual(await page.locator('.card .number').allTextContents(), ['#1']);
}

export async function saved_views_are_in_the_rail(stage) {
  await stage.cairn('new', 'issue', 'Login fails', '-l', 'bug');
  await stage.cairn('new', 'task', 'Rotate the keys');
  await stage.cairn('view', 'save', 'Bugs', '--label', 'bug');
  const page = await stage.signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(stage.url);
  const view = page.locator('.rail').getByRole('link', { name: /Bugs/ });
  assert.match(await view.textContent(), /Bugs\s*1/);
  await view.click();
  await page.getByText('Login fails').first().waitFor();
  assert.equal(await page.getByText('Rotate the keys').count(), 0);
  assert.match(await page.locator('.rail .project').textContent(), /not shared/);
}
