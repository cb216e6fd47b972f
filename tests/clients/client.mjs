// Drives the server through one of the official TypeScript SDKs and prints, as one line of JSON with sorted keys, what
// came of it. What should have come of it is not said here, but in crates/xtask/src/clients/expected.rs.
//
// usage: node client.mjs (sdk1|sdk2) (legacy|auto) (stdio COMMAND [ARGUMENT…] | http URL)
//
// The packages are in the `node_modules` that $CLIENT_PACKAGES names. With a token in $CLIENT_TOKEN, to be sent along, the
// conversation is about tasks.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const PATIENCE = 100_000;
const token = process.env.CLIENT_TOKEN;
const [sdk, era, transport, target, ...rest] = process.argv.slice(2);
const find = createRequire(`${process.env.CLIENT_PACKAGES}/package.json`);

// `import` alone looks for packages beside this file only; `require` can be told where.
const load = (name) => import(pathToFileURL(find.resolve(name)));

async function modules() {
  if (sdk === 'sdk2') {
    const [all, stdio] = [await load('@modelcontextprotocol/client'), await load('@modelcontextprotocol/client/stdio')];
    return { ...all, ...stdio };
  }
  const parts = ['index', 'stdio', 'streamableHttp'].map((name) => load(`@modelcontextprotocol/sdk/client/${name}.js`));
  return Object.assign({}, ...(await Promise.all(parts)));
}

async function connect() {
  const authorization = token ? { Authorization: `Bearer ${token}` } : {};
  const { Client, StdioClientTransport, StreamableHTTPClientTransport } = await modules();
  const client = new Client({ name: `client-${sdk}`, version: '1' }, { versionNegotiation: { mode: era } });
  const connection =
    transport === 'stdio'
      ? new StdioClientTransport({ command: target, args: rest })
      : new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: authorization } });
  // The first SDK tells the agreed version to the transport only.
  let protocol;
  const tell = connection.setProtocolVersion?.bind(connection);
  connection.setProtocolVersion = (version) => ((protocol = version), tell?.(version));
  await client.connect(connection);
  return { client, protocol: () => client.getNegotiatedProtocolVersion?.() ?? protocol };
}

const read = (result) => JSON.parse(result.content[0].text);

// How a call that should fail did so: as an error of the protocol, as a result that says so, or not at all.
async function failure(call) {
  try {
    const result = await call();
    return result.isError ? `result ${token ? result.content[0].text : read(result).error.code}` : 'success';
  } catch (error) {
    return `error ${error.code}`;
  }
}

setTimeout(() => process.exit(124), PATIENCE).unref();
const { client, protocol } = await connect();
const call = (name, args) => client.callTool({ name, arguments: args });
const { tools } = await client.listTools();

async function issues() {
  const { items } = read(await call('git_mile.list', { entity: 'issue' }));
  const shown = read(await call('git_mile.show', { entity: 'issue', id: items[0].id }));
  return {
    badFilter: await failure(() => call('git_mile.list', { entity: 'issue', filter: 'colour == red' })),
    issues: items.map((item) => item.title),
    shown: shown.description,
    unknownTool: await failure(() => call('git_mile.close', {})),
    // Still there after the errors.
    issuesAgain: read(await call('git_mile.list', { entity: 'issue' })).items.length,
  };
}

async function tasks() {
  const made = read(await call('create_task', { title: 'Made by a client' }));
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: made.uri });
  return {
    badSize: await failure(() => call('create_task', { title: 'x', size: 'huge' })),
    isListed: resources.some((resource) => resource.uri === made.uri),
    task: JSON.parse(contents[0].text).title,
    // Still there after the error.
    completed: read(await call('complete_task', { id: made.task.id, completed_at: '2025-01-14' })).task.completed_at,
  };
}

const report = {
  ...(await (token ? tasks() : issues())),
  protocol: protocol(),
  server: client.getServerVersion().name,
  tools: tools.map((tool) => tool.name),
};
await client.close();
console.log(JSON.stringify(report, Object.keys(report).sort()));
