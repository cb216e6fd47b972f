// Login: the form, the return to the requested page, and links from other sites.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';

export async function who_logs_in_goes_on_to_the_page_they_wanted(stage) {
  await stage.cairn('new', 'task', 'One');
  const page = await stage.window();
  await page.goto(`${stage.url}/item/1`);
  const token = page.getByLabel('Token');
  assert.ok(await token.evaluate((input) => input === document.activeElement));
  await page.keyboard.type('nonsense');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Unknown token.').waitFor();
  await stage.shot(page, 'login-refused');
  await page.keyboard.type(stage.token);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${stage.url}/item/1`);
  await page.getByRole('heading', { name: 'One' }).waitFor();
  assert.deepEqual(page.complaints.filter((one) => !one.includes('401')), []);
}

export async function a_link_on_another_site_leads_to_its_page(stage) {
  await stage.cairn('new', 'task', 'One');
  // For a browser, another host name of the same machine is another site.
  const other = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.end(`<a href="${stage.url}/item/1">Look</a>`);
  });
  await new Promise((resolve) => { other.listen(0, '127.0.0.1', resolve); });
  try {
    const page = await stage.signedIn();
    await page.goto(`http://localhost:${other.address().port}/`);
    await page.getByRole('link', { name: 'Look' }).click();
    await page.getByRole('heading', { name: 'One' }).waitFor();
    assert.equal(page.url(), `${stage.url}/item/1`);
    const stranger = await stage.window();
    await stranger.goto(`http://localhost:${other.address().port}/`);
    await stranger.getByRole('link', { name: 'Look' }).click();
    await stranger.getByLabel('Token').waitFor();
  } finally {
    other.close();
  }
}
