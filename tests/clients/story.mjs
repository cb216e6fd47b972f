// An agent's work from the first call to another clone, with the official TypeScript SDK as the agent: set up the
// repository, find work, claim it, read what is known about the code, change it, commit, record why, share it. The
// agent in the second clone sees the closed item, its commit and the reason. Prints one line per step.
//
// usage: CAIRN=PROGRAM CLIENT_PACKAGES=FOLDER node story.mjs

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Folder } from './agent.mjs';

const CODE = 'fn charge(card: &Card) {\n    card.debit();\n}\n\nfn refund(card: &Card) {\n    card.credit();\n}\n';

// A project with a person's wishes, and a hub to share it through.
function project(folder) {
  const hub = folder.repository('hub.git');
  const ada = folder.repository('ada').init('Ada Lovelace');
  ada.git('init', '--quiet', '--bare', hub.path);
  ada.git('remote', 'add', 'origin', hub.path);
  ada.write('src/pay.rs', CODE);
  ada.commit('Pay by card');
  ada.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  ada.cairn('new', 'issue', 'Cards are charged twice', '--priority', 'high', '--description', 'Seen in src/pay.rs.');
  ada.cairn('new', 'task', 'Translate the receipts', '--priority', 'low');
  ada.cairn('annotate', '--anchor', 'src/pay.rs:charge', '--intent', 'debits the card', '--constraint', 'never in a loop');
  ada.cairn('inbox', 'send', '--file', 'src/pay.rs', '--line', '2', '--comment', 'Check the return value?');
  return ada;
}

const steps = [];
const told = (text) => steps.push(text) && console.log(text);
const folder = new Folder();
try {
  const ada = project(folder);
  ada.cairn('agents', 'install');
  assert.match(readFileSync(join(ada.path, 'AGENTS.md'), 'utf8'), /cairn/);
  told('set up: AGENTS.md names cairn');
  assert.match(ada.cairn('prime'), /Cards are charged twice/);
  told('prime: names the work');
  ada.commit('Tell agents about the project');

  const agent = await ada.agent();
  const rival = await ada.agent();
  const { number } = (await agent.call('ready')).data.items[0];
  const claims = await Promise.allSettled([agent, rival].map((one) => one.call('update', { id: number, claim: true })));
  const lost = claims.filter((claim) => claim.status === 'rejected');
  assert.equal(lost.length, 1);
  assert.match(lost[0].reason.message, /is taken: in progress since .*, by Ada Lovelace/);
  told(`claim: one of two agents has #${number}, the other is told who`);

  const context = (await agent.call('context', { path: join(ada.path, 'src/pay.rs'), anchor: 'charge' })).text;
  for (const part of ['never in a loop', 'Check the return value?', 'Cards are charged twice', 'Pay by card']) {
    assert.ok(context.includes(part), `${part} in ${context}`);
  }
  told('context: constraint, message, item that names the file, last commit');

  const { items: messages } = (await agent.call('inbox')).data;
  ada.write('src/pay.rs', CODE.replace('    card.debit();', '    if !card.is_charged() {\n        card.debit();\n    }'));
  ada.commit(`Charge a card once\n\nFixes #${number}`);
  const reason = 'the terminal repeats the call when its answer is late';
  const intent = 'debits the card once';
  await agent.call('annotate', { path: 'src/pay.rs', anchor: 'charge', intent, reasoning: reason });
  await agent.call('comment', { id: number, text: 'A late answer made the terminal repeat the call.' });
  await agent.call('inbox_reply', { id: messages[0].id, text: 'It returns nothing.', resolves: true });
  ada.git('push', '--quiet');
  const synced = (await agent.call('sync')).text;
  told('edit, commit, annotate, comment, reply, sync');

  const grace = folder.repository('grace');
  ada.git('clone', '--quiet', join(folder.path, 'hub.git'), grace.path);
  grace.identify('Grace Hopper');
  const second = await grace.agent();
  await second.call('sync');
  const shown = (await second.call('show', { id: number })).data.items[0];
  assert.equal(shown.state, 'closed', synced);
  assert.equal(shown.commits?.[0]?.subject, 'Charge a card once', JSON.stringify(shown));
  assert.match(shown.comments.at(-1).body, /late answer/);
  const known = (await second.call('context', { path: 'src/pay.rs', anchor: 'charge' })).text;
  assert.ok(known.includes(reason) && known.includes('never in a loop'), known);
  const next = (await second.call('ready')).data.items.map((item) => item.title);
  assert.deepEqual(next, ['Translate the receipts']);
  told('second clone: the item is closed, its commit and the reason are there');
  for (const one of [agent, rival, second]) await one.close();
} finally {
  folder.remove();
}
