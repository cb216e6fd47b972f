// Counts the tokens that an agent pays for the `cairn` dialect, with a tokenizer of a current model, and prints them as
// one line of JSON: rows of name, tokens and limit. The limits are in crates/xtask/src/clients/tokens.rs.
//
// usage: CAIRN=PROGRAM CLIENT_PACKAGES=FOLDER node tokens.mjs

import { Folder, load } from './agent.mjs';

const { encode } = await load('gpt-tokenizer/encoding/o200k_base');
const count = (value) => encode(typeof value === 'string' ? value : JSON.stringify(value)).length;

const AREAS = ['Import', 'Login', 'Search', 'Billing', 'Export'];
const FAULTS = ['stops when a column is missing', 'is slow with large files', 'loses the last row', 'needs a retry on timeout'];
const LABELS = [['bug'], ['performance', 'backend'], [], ['ui']];
const PRIORITIES = ['high', 'medium', 'low', 'none'];

const item = (n) => ({
  kind: n % 3 ? 'task' : 'issue',
  title: `${AREAS[n % AREAS.length]} ${FAULTS[n % FAULTS.length]}`,
  description: 'Steps to reproduce, what was expected, and what happened instead. '.repeat(6),
  priority: PRIORITIES[n % PRIORITIES.length],
  labels: LABELS[n % LABELS.length],
});

// A file with 40 annotated functions and 12 items.
async function busyFile(repository, agent) {
  const text = Array.from({ length: 40 }, (_, n) => `fn step_${n}() {\n    work(${n});\n}\n`).join('\n');
  repository.write('src/import.rs', text);
  repository.commit('Import in steps');
  for (let n = 0; n < 40; n += 1) {
    await agent.call('annotate', {
      path: 'src/import.rs',
      anchor: `step_${n}`,
      intent: `Step ${n} of the import: reads a batch of rows and hands it to the next step`,
      reasoning: 'A queue between the steps was tried; it hid the errors of the first batch until the end.',
      constraints: n % 4 ? [] : [`batch ${n} is never read twice`],
    });
  }
  for (let n = 1; n <= 12; n += 1) await agent.call('link', { id: n, type: 'touches', to: 'src/import.rs' });
}

const folder = new Folder();
try {
  const repository = folder.repository('shop').init('Ada Lovelace');
  const agent = await repository.agent();
  const items = Array.from({ length: 60 }, (_, n) => item(n));
  await agent.call('create', { items });
  await agent.call('update', { id: 3, assignee: 'me' });
  await agent.call('link', { id: 5, type: 'blocked_by', to: 4 });
  await busyFile(repository, agent);
  const { tools } = await agent.client.listTools();
  const rows = [];
  const row = (name, tokens) => rows.push([name, tokens]);
  row('definitions', count(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))));
  row('ready', count((await agent.call('ready', { limit: 20 })).text));
  row('list', count((await agent.call('list', { limit: 50 })).text));
  row('show', count((await agent.call('show', { id: 3 })).text));
  for (const max of [500, 1000, 2000]) {
    row(`context ${max}`, count((await agent.call('context', { path: 'src/import.rs', max_tokens: max })).text));
  }
  row('prime', count(repository.cairn('prime')));
  await agent.close();
  console.log(JSON.stringify(rows));
} finally {
  folder.remove();
}
