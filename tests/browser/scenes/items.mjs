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

/** Opens the picker of a property and chooses by typing. */
async function choose(page, field, text, query = text) {
  const row = page.locator(`#property-${field}`);
  if (await row.count()) await row.click();
  else {
    await page.getByRole('button', { name: 'Add property' }).click();
    await page.keyboard.type(field);
    await page.keyboard.press('Enter');
  }
  await page.locator('.picker input').fill(query);
  await page.locator('.picker').getByRole('option', { name: text }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator(`#property-${field}`).getByText(text).first().waitFor();
}

export async function everything_is_edited_in_place(stage) {
  const page = await item(stage);
  await page.getByRole('heading', { name: 'Login fails' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Login fails on Safari');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Login fails on Safari' }).waitFor();
  await page.locator('#description .shown').click({ position: { x: 200, y: 10 } });
  await page.getByLabel('Text, in Markdown').fill('Now **bold**, see #2.');
  await page.keyboard.press('Control+Enter');
  await page.locator('.prose strong').waitFor();
  assert.equal(await page.locator('#description .prose a').getAttribute('href'), '/item/2');
  await choose(page, 'status', 'Review');
  await choose(page, 'priority', 'High');
  await choose(page, 'size', 'Large');
  await choose(page, 'assignee', 'Grace Hopper', 'Grace Hopper <grace@example.com>');
  await choose(page, 'due', '31 Jan', '2027-01-31');
  await choose(page, 'labels', 'login');
  await page.locator('#property-labels').click();
  await page.getByRole('option', { name: 'bug' }).click();
  await page.locator('#property-labels').getByText('bug').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add a link' }).click();
  await page.keyboard.press('Enter');
  await page.locator('.picker').getByRole('option', { name: 'Rotate the keys' }).click();
  await page.locator('.relations').getByText('Rotate the keys').waitFor();
  await page.getByRole('button', { name: 'Add a sub-item' }).click();
  await page.getByLabel('Title of a new sub-item').fill('Reproduce it');
  await page.keyboard.press('Enter');
  await page.locator('.section', { hasText: 'Sub-items' }).getByText('Reproduce it').waitFor();
  await page.getByPlaceholder('Comment').fill('Also on iPad.');
  await page.getByRole('button', { name: 'Comment' }).click();
  await page.locator('.comment .shown').getByText('Also on iPad.').waitFor();
  await stage.shot(page, 'item-edited');
  const now = await show(stage);
  assert.deepEqual(
    [now.title, now.description, now.status, now.priority, now.size, now.assignee, now.due, now.labels, now.blockedBy[0].number, now.children[0].title, now.comments[0].body],
    ['Login fails on Safari', 'Now **bold**, see #2.', 'review', 7, 'large', 'Grace Hopper <grace@example.com>', '2027-01-31', ['login'], 2, 'Reproduce it', 'Also on iPad.'],
  );
  assert.deepEqual(page.complaints, []);
}

export async function tasks_are_ticked_and_texts_previewed(stage) {
  await stage.cairn('new', 'task', 'With tasks', '-d', 'ü\n\n- [ ] first\n- [x] second');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/item/1`);
  await page.getByRole('checkbox').first().click();
  await page.getByRole('checkbox', { checked: true }).nth(1).waitFor();
  assert.equal((await show(stage)).description, 'ü\n\n- [x] first\n- [x] second');
  await page.keyboard.press('z');
  await page.getByRole('checkbox', { checked: false }).first().waitFor();
  assert.equal((await show(stage)).description, 'ü\n\n- [ ] first\n- [x] second');
  await page.getByPlaceholder('Comment').fill('Is it **so**? See https://example.com/x.');
  await page.locator('#composer').getByRole('button', { name: 'Preview' }).click();
  await page.locator('#composer .preview strong').waitFor();
  assert.equal(await page.locator('#composer .preview a').getAttribute('href'), 'https://example.com/x');
  await page.locator('#composer').getByRole('button', { name: 'Preview' }).click();
  assert.equal(await page.getByPlaceholder('Comment').inputValue(), 'Is it **so**? See https://example.com/x.');
  assert.deepEqual(page.complaints, []);
}

export async function a_deleted_item_comes_back_by_undo_and_by_its_page(stage) {
  const page = await item(stage);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('This item was deleted.').waitFor();
  assert.equal((await show(stage)).deleted, true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('This item was deleted.').waitFor({ state: 'detached' });
  assert.equal((await show(stage)).deleted, false);
  await stage.cairn('delete', '1');
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('This item was deleted.').waitFor({ state: 'detached' });
  assert.equal((await show(stage)).deleted, false);
}

export async function every_saved_text_has_an_undo(stage) {
  const page = await item(stage);
  const toast = page.locator('.toast');
  const undo = async (text) => {
    await toast.getByText(text).waitFor();
    // Nothing to press lies below it.
    const [box, dock] = [await toast.boundingBox(), await page.locator('.dock .editor').boundingBox()];
    assert.ok(box.y + box.height <= dock.y, `${box.y + box.height} of ${dock.y}`);
    await toast.getByRole('button', { name: 'Undo' }).click();
  };
  await page.getByRole('heading', { name: 'Login fails' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Signing in fails');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Signing in fails' }).waitFor();
  await undo('Title of #1 saved');
  await page.getByRole('heading', { name: 'Login fails' }).waitFor();
  await (await editText(page)).fill('Shorter.');
  await page.keyboard.press('Control+Enter');
  await page.locator('#description .shown').getByText('Shorter.').waitFor();
  await undo('Text of #1 saved');
  await page.locator('#description .shown').getByText('See #2.').waitFor();
  await stage.cairn('comment', '1', 'It happen here.');
  const comment = page.locator('.comment');
  await comment.getByLabel('Edit the comment of Ada Lovelace').click();
  await comment.getByLabel('Comment, in Markdown').fill('It happens here.');
  await page.keyboard.press('Control+Enter');
  await undo('Comment on #1 saved');
  await comment.locator('.shown').getByText('It happen here.').waitFor();
  const now = await show(stage);
  assert.deepEqual([now.title, now.description, now.comments[0].body], ['Login fails', 'See #2.', 'It happen here.']);
  // A text that someone else changed meanwhile stays.
  await (await editText(page)).fill('Mine.');
  await page.keyboard.press('Control+Enter');
  await toast.getByText('Text of #1 saved').waitFor();
  await stage.cairn('edit', '1', '--description', 'Theirs.');
  await page.locator('#description .shown').getByText('Theirs.').waitFor();
  await toast.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast.failed').waitFor();
  assert.equal((await show(stage)).description, 'Theirs.');
  await stage.cairn('delete', '1');
  await page.getByRole('button', { name: 'Restore' }).click();
  await undo('Restored Login fails');
  await page.getByText('This item was deleted.').waitFor();
  assert.deepEqual(page.complaints.filter((one) => !one.includes('412')), []);
}

export async function the_stream_can_show_comments_alone(stage) {
  await stage.cairn('new', 'issue', 'Login fails');
  await stage.cairn('comment', '1', 'It happens here.');
  for (const javaScriptEnabled of [true, false]) {
    const page = await stage.signedIn({ javaScriptEnabled });
    await page.goto(`${stage.url}/item/1`);
    const event = page.locator('.event', { hasText: 'created' });
    await event.waitFor();
    await page.getByRole('radio', { name: 'Comments' }).check();
    await event.waitFor({ state: 'hidden' });
    const said = page.locator('.comment .shown');
    assert.ok(await said.getByText('It happens here.').isVisible());
    if (javaScriptEnabled) {
      // A change by someone else keeps the choice, and it is made with keys too.
      await stage.cairn('comment', '1', 'Here too.');
      await said.getByText('Here too.').waitFor();
      assert.equal(await event.isVisible(), false);
      await page.keyboard.press('ArrowLeft');
      await event.waitFor();
      assert.deepEqual(await stage.violations(page), []);
    }
    assert.deepEqual(page.complaints, []);
  }
}

const editText = async (page) => {
  await page.locator('#description .shown').click({ position: { x: 200, y: 10 } });
  return page.getByLabel('Text, in Markdown');
};

export async function a_lost_race_shows_what_changed_and_keeps_the_text(stage) {
  const page = await item(stage);
  const text = await editText(page);
  await text.fill('Mine');
  await stage.cairn('edit', '1', '--description', 'Theirs', '--priority', '7');
  await page.locator('#property-priority').getByText('High').waitFor();
  assert.equal(await text.inputValue(), 'Mine');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const conflict = page.locator('#description .conflict');
  await conflict.getByText('Ada Lovelace changed this text while you were writing').waitFor();
  // Both versions, with what differs.
  assert.equal(await conflict.locator('ins').innerText(), 'Mine');
  assert.equal(await conflict.locator('del').innerText(), 'Theirs');
  // The text is not shown a second time above its editor, which the box does not squeeze.
  assert.equal(await page.locator('#description > .shown').isVisible(), false);
  const [box, form] = [await conflict.boundingBox(), await page.locator('#description-form').boundingBox()];
  assert.ok(form.width - box.width < 40, `${box.width} of ${form.width}`);
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('#description-form .tools button')].filter((one) => one.getBoundingClientRect().height > 30).length), 0);
  assert.equal(await text.inputValue(), 'Mine');
  assert.equal((await show(stage)).description, 'Theirs');
  await stage.shot(page, 'conflict');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.locator('.prose').getByText('Mine').waitFor();
  assert.equal((await show(stage)).description, 'Mine');
  assert.deepEqual(page.complaints.filter((one) => !one.includes('412')), []);
}

export async function a_change_beside_ones_own_is_no_conflict(stage) {
  const page = await item(stage);
  await page.getByRole('heading', { name: 'Login fails' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await stage.cairn('edit', '1', '--priority', '7');
  await page.locator('#property-priority').getByText('High').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
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
  await comment.getByText('It happen here.').first().waitFor();
  assert.equal((await show(stage)).comments[0].body, 'It **happens** here.');
  // Someone else saves first: nothing is overwritten, and no typed text is lost.
  await comment.getByLabel('Edit the comment of Ada Lovelace').click();
  await text.fill('Mine');
  await stage.cairn('comment', '1', '--edit-comment', '1', 'Theirs');
  await comment.getByRole('button', { name: 'Save', exact: true }).click();
  await comment.locator('.conflict').getByText('changed this text while you were writing').waitFor();
  assert.match(await comment.locator('.conflict').innerText(), /Theirs/);
  assert.equal(await text.inputValue(), 'Mine');
  assert.equal((await show(stage)).comments[0].body, 'Theirs');
  await comment.getByRole('button', { name: 'Take theirs' }).click();
  await comment.locator('.shown').getByText('Theirs').waitFor();
  assert.deepEqual(page.complaints.filter((one) => !one.includes('412')), []);
}

export async function a_message_is_answered_and_resolved(stage) {
  writeFileSync(`${stage.place}/login.rs`, 'fn open() {\n    todo()\n}\n');
  await stage.cairn('inbox', 'send', '--file', 'login.rs', '--line', '2', '--comment', 'Why?');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/review`);
  const text = page.getByLabel('Answer, in Markdown');
  await text.fill('Since it is **not** done.');
  await text.press('Control+Enter');
  await page.locator('.thread .comment strong').waitFor();
  assert.equal((await stage.json('inbox', 'list')).items[0].state, 'answered');
  await stage.shot(page, 'inbox-answered');
  // The list shows the newest answer, and the code beside the thread.
  await page.locator('.inbox-list .message', { hasText: 'Since it is' }).waitFor();
  assert.match(await page.locator('.thread .source').innerText(), /todo\(\)/);
  await page.locator('#thread-title').click();
  await page.keyboard.press('e');
  await page.locator('.toast').getByText('Remark resolved').waitFor();
  await page.locator('.thread').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.thread').waitFor();
  assert.equal((await stage.json('inbox', 'list')).items[0].state, 'answered');
  await page.locator('#thread-title').click();
  await page.keyboard.press('e');
  await page.locator('.thread').waitFor({ state: 'detached' });
  const [resolved] = (await stage.json('inbox', 'list', '--all')).items;
  assert.deepEqual([resolved.state, resolved.replies.map((one) => one.resolves)], ['resolved', [false, true]]);
  await page.goto(`${stage.url}/review?show=all`);
  await page.locator('.thread').getByText('resolved it').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Resolve' }).count(), 0);
  assert.deepEqual(page.complaints, []);
}

export async function a_message_is_sent_to_whoever_changes_the_code(stage) {
  writeFileSync(`${stage.place}/login.rs`, 'fn open() {\n    todo()\n}\n');
  const page = await stage.signedIn();
  await page.goto(`${stage.url}/review`);
  await page.getByRole('link', { name: 'Remark' }).click();
  await page.getByLabel('File').fill('login.rs');
  await page.getByLabel('Lines').fill('2');
  await page.getByLabel('Comment').fill('Why is this **empty**?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.thread .prose').getByText('empty').waitFor();
  const inbox = await stage.json('inbox', 'list');
  assert.deepEqual([inbox.items[0].file, inbox.items[0].comment, inbox.items[0].excerpt.trim()], ['login.rs', 'Why is this **empty**?', 'todo()']);
  await stage.shot(page, 'inbox');
  await page.locator('.toast', { hasText: 'Message sent' }).getByRole('button', { name: 'Undo' }).click();
  await page.locator('.thread').waitFor({ state: 'detached' });
  assert.deepEqual((await stage.json('inbox', 'list', '--all')).items, []);
  assert.deepEqual(page.complaints, []);
}

export async function a_comment_is_taken_back_and_one_is_deleted_with_undo(stage) {
  const page = await item(stage);
  const bodies = async () => (await show(stage)).comments.map(({ body }) => body);
  await page.locator('#composer textarea').fill('Too early.');
  await page.keyboard.press('Control+Enter');
  await page.locator('.comment').getByText('Too early.').first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('This comment was removed.').waitFor();
  assert.deepEqual(await bodies(), ['']);
  await stage.cairn('comment', '1', 'It happens here.');
  const comment = page.locator('.comment').nth(1);
  await comment.getByLabel('Edit the comment of Ada Lovelace').click();
  await comment.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('This comment was removed.').nth(1).waitFor();
  assert.deepEqual(await bodies(), ['', '']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await comment.locator('.shown').getByText('It happens here.').waitFor();
  assert.deepEqual(await bodies(), ['', 'It happens here.']);
  assert.deepEqual(page.complaints, []);
}
