// A session belongs to the server that opened it. Behind a load balancer, a request of it can reach another server, for
// example because the first one died: that one answers 404, and a client initializes again, as the protocol says. This
// does so with the official TypeScript SDKs, over a proxy that changes from one server to the other.
//
// usage: node other_server.mjs (sdk1|sdk2) FIRST_URL SECOND_URL
//
// The packages are in the `node_modules` at $CLIENT_PACKAGES. A token in $CLIENT_TOKEN is sent with each request.

import assert from 'node:assert/strict';
import http from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const PATIENCE = 100_000;
const [sdk, ...servers] = process.argv.slice(2);
const find = createRequire(`${process.env.CLIENT_PACKAGES}/package.json`);
const load = (name) => import(pathToFileURL(find.resolve(name)));

async function modules() {
  if (sdk === 'sdk2') return load('@modelcontextprotocol/client');
  const parts = ['index', 'streamableHttp'].map((name) => load(`@modelcontextprotocol/sdk/client/${name}.js`));
  return Object.assign({}, ...(await Promise.all(parts)));
}

// A load balancer with one server at a time. It remembers the statuses that it passed on.
function balance() {
  const balancer = { server: servers[0], statuses: [] };
  const listener = http.createServer((request, response) => {
    const target = new URL(balancer.server);
    const headers = { ...request.headers, host: target.host };
    const options = { host: target.hostname, port: target.port, path: target.pathname, method: request.method, headers };
    const passed = http.request(options, (answer) => {
      if (request.method === 'POST') balancer.statuses.push(answer.statusCode);
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  return new Promise((resolve) => {
    listener.listen(0, '127.0.0.1', () => {
      balancer.url = `http://127.0.0.1:${listener.address().port}/mcp`;
      balancer.close = () => (listener.closeAllConnections(), listener.close());
      resolve(balancer);
    });
  });
}

async function connect(url) {
  const { Client, StreamableHTTPClientTransport } = await modules();
  const headers = { Authorization: `Bearer ${process.env.CLIENT_TOKEN}` };
  const client = new Client({ name: `client-${sdk}`, version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  assert.ok(transport.sessionId, 'the server opens a session');
  return { client, session: transport.sessionId };
}

const create = ({ client }, title) => client.callTool({ name: 'create', arguments: { title } });

setTimeout(() => process.exit(124), PATIENCE).unref();
const balancer = await balance();
const first = await connect(balancer.url);
assert.ok(!(await create(first, `${sdk} through the first server`)).isError);

balancer.server = servers[1];
balancer.statuses = [];
await assert.rejects(create(first, `${sdk} never`), (error) => error.code === 404 || error.data?.status === 404);
assert.deepEqual(balancer.statuses, [404]);

const second = await connect(balancer.url);
assert.notEqual(second.session, first.session);
assert.ok(!(await create(second, `${sdk} through the second server`)).isError);
const { structuredContent } = await second.client.callTool({ name: 'list', arguments: { filter: `text ~ "${sdk}"` } });
const titles = structuredContent.items.map((item) => item.title).sort();
assert.deepEqual(titles, [`${sdk} through the first server`, `${sdk} through the second server`]);

await second.client.close();
balancer.close();
console.log(`${sdk}: 404 from the other server, then a session of its own`);
process.exit(0);
