// What cannot be loaded, saved or copied is said in words, and no text is lost by a slip.

import assert from 'node:assert/strict';

async function board(stage) {
  await stage.cairn('new', 'board', 'Team board');
  for (const title of ['One', 'Two', 'Three']) await stage.cairn('new', 'task', title, '--board', '1');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/board/1`);
  return page;
}

// The browser itself logs every request that fails.
const honest = (complaints) => complaints.filter((one) => !/ERR_INTERNET_DISCONNECTED|status of/.test(one));

export async function what_cannot_be_loaded_is_said_and_tried_again(stage) {
  const page = await board(stage);
  await page.context().setOffline(true);
  await page.locator('#card-1 .card-title').click();
  const sheet = page.locator('.sheet');
  await sheet.getByText('The server cannot be reached.').waitFor();
  await stage.shot(page, 'sheet-offline');
  await page.context().setOffline(false);
  await sheet.getByRole('button', { name: 'Retry' }).click();
  await sheet.getByRole('heading', { name: 'One' }).waitFor();
  // The preview of a text, in the same words.
  await page.context().setOffline(true);
  await sheet.locator('#composer textarea').fill('Some text');
  await sheet.locator('#composer').getByRole('button', { name: 'Preview' }).click();
  await page.locator('.toast.failed').getByText('The server cannot be reached.').waitFor();
  assert.equal(await sheet.locator('#composer textarea').inputValue(), 'Some text');
  await sheet.locator('#composer textarea').fill('');
  await page.keyboard.press('Escape');
  // A filter keeps what is shown, and the address says the same.
  const before = page.url();
  await page.locator('#find').fill('two');
  await page.keyboard.press('Enter');
  await page.locator('.toast.failed').getByRole('button', { name: 'Retry' }).waitFor();
  assert.equal(page.url(), before);
  assert.equal(await page.locator('.card').count(), 3);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Command palette' }).getByText('The server cannot be reached').waitFor();
  await page.keyboard.press('Escape');
  await page.context().setOffline(false);
  await page.locator('.toast.failed').getByRole('button', { name: 'Retry' }).click();
  await page.locator('#card-1').waitFor({ state: 'detached' });
  assert.deepEqual(honest(page.complaints), []);
}

export async function who_is_signed_out_is_told_in_the_sheet(stage) {
  const page = await board(stage);
  await page.context().clearCookies();
  await page.locator('#card-1 .card-title').click();
  await page.locator('.sheet').getByText('You are signed out').waitFor();
  assert.deepEqual(honest(page.complaints), []);
}

export async function a_text_is_not_lost_by_a_step_or_by_going_back(stage) {
  const page = await board(stage);
  await page.locator('#card-1 .card-title').click();
  const text = page.locator('.sheet #composer textarea');
  await text.fill('Half a comment');
  for (const leave of [() => page.getByRole('button', { name: 'Next item' }).click(), () => page.goBack(), () => page.keyboard.press('Escape')]) {
    const asked = page.waitForEvent('dialog');
    await leave();
    await asked;
    assert.equal(await text.inputValue(), 'Half a comment');
    assert.match(page.url(), /item=1$/);
  }
  assert.equal(page.complaints.filter((one) => one.startsWith('dialog: Leave without saving')).length, 3);
  await text.fill('');
  await page.keyboard.press('Escape');
  await page.locator('.sheet').waitFor({ state: 'detached' });
  // A form for a new item is closed by a click beside it; Undo brings back what it had.
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Title' }).fill('Long thought about');
  await page.getByRole('textbox', { name: 'Text' }).fill('With reasons.');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Undo' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Long thought about');
  assert.equal(await page.getByRole('textbox', { name: 'Text' }).inputValue(), 'With reasons.');
}

export async function the_form_of_a_new_item_takes_labels_dates_and_colors(stage) {
  await stage.cairn('label', 'define', 'bug', '--color', 'rose');
  await stage.cairn('label', 'define', 'login', '--color', 'blue');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/all`);
  const choose = async (name, text) => {
    await page.getByRole('dialog').getByRole('button', { name }).click();
    await page.locator('.picker input').fill(text);
    await page.keyboard.press('Enter');
  };
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Title' }).fill('Login fails');
  await choose('Label', 'bug');
  await choose('Label: bug', 'login');
  await choose('Due date', '2031-05-04');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created #1 Login fails').first().waitFor();
  const item = await stage.json('show', '1');
  assert.deepEqual([item.labels, item.due], [['bug', 'login'], '2031-05-04']);
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('c');
  await choose('Kind: Task', 'epic');
  await page.getByRole('textbox', { name: 'Title' }).fill('Checkout');
  await choose('Color', 'violet');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created #2 Checkout').first().waitFor();
  assert.equal((await stage.json('show', '2')).colour, '#7353d3');
  // What is refused is said above the form, where it can be read and dismissed.
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Title' }).fill('Not now');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('dialog .toast.failed').getByRole('button', { name: 'Dismiss' }).click();
  await page.locator('.toast').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Not now');
}

export async function a_notice_waits_for_the_focus_and_names_the_item(stage) {
  const page = await board(stage);
  await page.locator('#card-1 .card-title').click();
  await page.locator('#property-priority').click();
  await page.keyboard.type('urgent');
  await page.keyboard.press('Enter');
  const toast = page.locator('.toast');
  await toast.getByText('Priority of #1 set to Urgent').waitFor();
  await toast.getByRole('button', { name: 'Undo' }).focus();
  await page.waitForTimeout(6500);
  await toast.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.locator('#property-priority', { hasText: 'None' }).waitFor();
  assert.equal((await stage.json('show', '1')).priority, 0);
  // A reason is put back as it was.
  await stage.cairn('edit', '1', '--blocked', 'vendor');
  await page.locator('#property-blocked', { hasText: 'vendor' }).click();
  await page.keyboard.type('lawyers');
  await page.keyboard.press('Enter');
  await page.locator('#property-blocked', { hasText: 'lawyers' }).waitFor();
  await toast.getByRole('button', { name: 'Undo' }).click();
  await page.locator('#property-blocked', { hasText: 'vendor' }).waitFor();
  assert.deepEqual(page.complaints, []);
}

export async function closing_by_key_follows_the_workflow_and_reopens(stage) {
  await stage.cairn('workflow', 'set', 'story', 'shipped', '--category', 'done', '--order', '90', '--closed', 'true');
  const page = await board(stage);
  await page.locator('#card-1 .card-title').focus();
  await page.keyboard.press('e');
  await page.getByText('Closed #1').first().waitFor({ state: 'attached' });
  assert.equal((await stage.json('show', '1')).state, 'closed');
  await page.locator('.card.closed#card-1 .card-title').focus();
  await page.keyboard.press('e');
  await page.getByText('Reopened #1').first().waitFor({ state: 'attached' });
  assert.equal((await stage.json('show', '1')).state, 'open');
  assert.deepEqual(page.complaints, []);
}

export async function copying_works_without_the_clipboard_api(stage) {
  const page = await board(stage);
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.goto(`${stage.url}/board/1?item=1`);
  await page.getByRole('button', { name: 'Copy the link' }).click();
  await page.locator('#announcer', { hasText: 'Link copied' }).waitFor({ state: 'attached' });
  // What was copied, pasted by the keyboard.
  await page.locator('#composer textarea').focus();
  await page.keyboard.press('Control+v');
  assert.equal(await page.locator('#composer textarea').inputValue(), `${stage.url}/item/1`);
  assert.deepEqual(page.complaints, []);
}

export async function a_wrong_item_in_the_address_closes_like_any_other(stage) {
  const page = await board(stage);
  await page.goto(`${stage.url}/board/1?item=${encodeURIComponent('../login?"]')}`);
  await page.locator('.sheet').getByText(/not found|not loaded/i).first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.sheet').waitFor({ state: 'detached' });
  assert.deepEqual(honest(page.complaints), []);
}

export async function a_page_that_a_busy_server_refused_is_fetched_again(stage) {
  const page = await board(stage);
  let refused = 0;
  // The change has its event before the page is refused, so no other event leads to it.
  await page.route(`${stage.url}/board/1`, (route) => {
    if (route.request().isNavigationRequest() || refused === 2) return route.continue();
    refused += 1;
    return route.fulfill({ status: 503, body: '' });
  });
  await stage.cairn('new', 'task', 'Four', '--board', '1');
  await page.locator('#card-4').waitFor();
  assert.equal(refused, 2);
  assert.deepEqual(honest(page.complaints), []);
}
