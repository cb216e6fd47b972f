// One item: inline editing, comments, links; and concurrent edits by two people.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';

async function item(stage) {
  await stage.cairn('new', 'issue', 'Login fails', '-d', 'See #2.', '-l', 'bug');
  await stage.cairn('new', 'task', 'Rotate the keys');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/item/1`);
  return page;
}

const show = (stage) => stage.json('show', '1');

export async function everything_is_edited_in_place(stage) {
  const page = await item(stage);
  await page.getByText('Edit', { exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Login fails on Safari');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Login fails on Safari' }).waitFor();
  await page.getByText('Edit', { exact: true }).nth(1).click();
  await page.getByLabel('Description, in Markdown').fill('Now **bold**, see #2.');
  await page.keyboard.press('Control+Enter');
  await page.locator('.prose strong').waitFor();
  assert.equal(await page.locator('.prose a').getAttribute('href'), '/item/2');
  const fields = page.getByRole('complementary', { name: 'Fields' });
  await fields.getByLabel('Status').selectOption('review');
  await fields.getByLabel('Priority').selectOption('8');
  await fields.getByLabel('Size').selectOption('large');
  await fields.getByLabel('Assignee').fill('Grace Hopper <grace@example.com>');
  await fields.getByLabel('Assignee').press('Enter');
  await fields.getByLabel('Due').fill('2027-01-31');
  await fields.getByLabel('Due').blur();
  await fields.getByLabel('Add a label').fill('login');
  await fields.getByLabel('Add a label').press('Enter');
  await fields.getByRole('button', { name: 'Remove the label login' }).waitFor();
  await fields.getByRole('button', { name: 'Remove the label bug' }).click();
  await fields.getByRole('button', { name: 'Remove the label bug' }).waitFor({ state: 'detached' });
  await page.getByPlaceholder('#12, or src/login.rs').fill('#2');
  await page.getByRole('button', { name: 'Link' }).click();
  await page.locator('.refs').getByText('Rotate the keys').waitFor();
  await page.getByPlaceholder(/^Say something/).fill('Also on iPad.');
  await page.getByRole('button', { name: 'Comment' }).click();
  await page.locator('.comment .shown').getByText('Also on iPad.').waitFor();
  await stage.shot(page, 'item');
  const now = await show(stage);
  assert.deepEqual(
    [now.title, now.description, now.status, now.priority, now.size, now.assignee, now.due, now.labels, now.blockedBy[0].number, now.comments[0].body],
    ['Login fails on Safari', 'Now **bold**, see #2.', 'review', 8, 'large', 'Grace Hopper <grace@example.com>', '2027-01-31', ['login'], 2, 'Also on iPad.'],
  );
  assert.deepEqual(page.complaints, []);
}

export async function a_lost_race_shows_what_changed_and_keeps_the_text(stage) {
  const page = await item(stage);
  await page.getByText('Edit', { exact: true }).nth(1).click();
  const text = page.getByLabel('Description, in Markdown');
  await text.fill('Mine');
  await stage.cairn('edit', '1', '--description', 'Theirs', '--priority', '7');
  await page.getByLabel('Priority').locator('option[selected]', { hasText: '7' }).waitFor({ state: 'attached' });
  assert.equal(await text.inputValue(), 'Mine');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const conflict = page.locator('#description .conflict');
  await conflict.getByText('This changed while you were writing').waitFor();
  assert.match(await conflict.innerText(), /Ada Lovelace.*wrote the description/);
  assert.match(await conflict.innerText(), /Theirs/);
  assert.equal(await text.inputValue(), 'Mine');
  assert.equal((await show(stage)).description, 'Theirs');
  await stage.shot(page, 'conflict');
  await page.getByRole('button', { name: 'Save mine all the same' }).click();
  await page.locator('.prose').getByText('Mine').waitFor();
  assert.equal((await show(stage)).description, 'Mine');
  assert.deepEqual(page.complaints.filter((one) => !one.includes('412')), []);
}

export async function a_change_beside_ones_own_is_no_conflict(stage) {
  const page = await item(stage);
  await page.getByText('Edit', { exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await stage.cairn('edit', '1', '--priority', '7');
  await page.getByLabel('Priority').locator('option[selected]', { hasText: '7' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Mine' }).waitFor();
  const now = await show(stage);
  assert.deepEqual([now.title, now.priority], ['Mine', 7]);
}

export async function a_comment_is_edited_and_what_it_said_stays(stage) {
  const page = await item(stage);
  await stage.cairn('comment', '1', 'It happen here.');
  const comment = page.locator('.comment');
  await comment.getByLabel('Edit the comment of Ada Lovelace').click();
  const text = comment.getByLabel('Comment, in Markdown');
  assert.equal(await text.inputValue(), 'It happen here.');
  await text.fill('It **happens** here.');
  await text.press('Control+Enter');
  await comment.locator('.shown strong').waitFor();
  await comment.getByText('Edited', { exact: true }).click();
  await comment.getByText('It happen here.').waitFor();
  assert.equal((await show(stage)).comments[0].body, 'It **happens** here.');
  // Someone else saves first: nothing is overwritten, and no typed text is lost.
  await comment.getByLabel('Edit the comment of Ada Lovelace').click();
  await text.fill('Mine');
  await stage.cairn('comment', '1', '--edit-comment', '1', 'Theirs');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await comment.locator('.conflict').getByText('This changed while you were writing').waitFor();
  assert.match(await comment.locator('.conflict').innerText(), /Theirs/);
  assert.equal(await text.inputValue(), 'Mine');
  assert.equal((await show(stage)).comments[0].body, 'Theirs');
  await comment.getByRole('button', { name: 'Take what is there' }).click();
  await comment.locator('.shown').getByText('Theirs').waitFor();
  assert.deepEqual(page.complaints.filter((one) => !one.includes('412')), []);
}

export async function a_message_is_answered_and_settled(stage) {
  writeFileSync(`${stage.place}/login.rs`, 'fn open() {\n    todo()\n}\n');
  await stage.cairn('inbox', 'send', '--file', 'login.rs', '--line', '2', '--comment', 'Why?');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/review`);
  const message = page.locator('.review > .comment');
  await message.getByText('Answer or settle').click();
  const text = message.getByLabel('Answer, in Markdown');
  await text.fill('Since it is **not** done.');
  await text.press('Control+Enter');
  await message.locator('blockquote strong').waitFor();
  assert.equal((await stage.json('inbox', 'list')).items[0].state, 'answered');
  await stage.shot(page, 'review-answered');
  // Keyboard only from here on: the focus is unchanged.
  await page.keyboard.press('Enter');
  await text.waitFor();
  await message.getByRole('button', { name: 'Settle it' }).focus();
  await page.keyboard.press('Enter');
  await message.waitFor({ state: 'detached' });
  assert.ok(await page.evaluate(() => document.activeElement.id === 'main'));
  const [settled] = (await stage.json('inbox', 'list', '--all')).items;
  assert.deepEqual([settled.state, settled.replies.map((one) => one.resolves)], ['resolved', [false, true]]);
  await page.goto(`${stage.url}/review?show=all`);
  await message.getByText('settled it').waitFor();
  assert.equal(await message.getByText('Answer or settle').count(), 0);
  assert.deepEqual(page.complaints, []);
}

export async function a_message_is_sent_to_whoever_changes_the_code(stage) {
  writeFileSync(`${stage.place}/login.rs`, 'fn open() {\n    todo()\n}\n');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/review`);
  await page.getByText('Say something about code').click();
  await page.getByRole('button', { name: 'Cancel' }).first().click();
  await page.getByLabel('File').waitFor({ state: 'hidden' });
  await page.getByText('Say something about code').click();
  await page.getByLabel('File').fill('login.rs');
  await page.getByLabel('Lines').fill('2');
  await page.getByLabel('Comment').fill('Why is this **empty**?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.review').getByText('empty').waitFor();
  const inbox = await stage.json('inbox', 'list');
  assert.deepEqual([inbox.items[0].file, inbox.items[0].comment, inbox.items[0].excerpt.trim()], ['login.rs', 'Why is this **empty**?', 'todo()']);
  await stage.shot(page, 'review');
  assert.deepEqual(page.complaints, []);
}
