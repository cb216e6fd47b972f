// Drives the server through one of the official TypeScript SDKs and prints the results as one line of JSON with sorted
// keys. The requests are in $CLIENT_STEPS, a JSON array; the expected results are in
// crates/xtask/src/clients/conversation.rs.
//
// usage: node client.mjs (sdk1|sdk2) (legacy|auto) (stdio COMMAND [ARGUMENT…] | http URL)
//
// The packages are in the `node_modules` at $CLIENT_PACKAGES. A token in $CLIENT_TOKEN is sent with each request.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const PATIENCE = 100_000;
const steps = JSON.parse(process.env.CLIENT_STEPS);
const [sdk, era, transport, target, ...rest] = process.argv.slice(2);
const find = createRequire(`${process.env.CLIENT_PACKAGES}/package.json`);

// `import` only resolves packages next to this file; `require` can be given a path.
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
  const headers = { Authorization: `Bearer ${process.env.CLIENT_TOKEN}` };
  const { Client, StdioClientTransport, StreamableHTTPClientTransport } = await modules();
  const client = new Client({ name: `client-${sdk}`, version: '1' }, { versionNegotiation: { mode: era } });
  const connection =
    transport === 'stdio'
      ? new StdioClientTransport({ command: target, args: rest })
      : new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } });
  // SDK 1 stores the negotiated version in the transport only.
  let protocol;
  const tell = connection.setProtocolVersion?.bind(connection);
  connection.setProtocolVersion = (version) => ((protocol = version), tell?.(version));
  await client.connect(connection);
  return { client, protocol: () => client.getNegotiatedProtocolVersion?.() ?? protocol };
}

// Returns the part of a text that a step selects; the whole text if it selects none or the text is not JSON.
function picked(text, { pick = [] }) {
  if (!pick.length) return text;
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  for (const name of pick) {
    if (value?.[name] === undefined) return `no ${name}`;
    value = value[name];
  }
  return String(value);
}

// Returns the result of a step: a protocol error, a failed result, or a part of the response.
async function answer(client, step) {
  try {
    if (step.call) {
      const { isError, content, structuredContent } = await client.callTool({ name: step.call, arguments: step.arguments });
      // The text is for models; a part is picked from what programs read.
      const text = structuredContent && step.pick?.length ? JSON.stringify(structuredContent) : content[0].text;
      return (isError ? 'failed ' : '') + picked(text, step);
    }
    if (step.read) return picked((await client.readResource({ uri: step.read })).contents[0].text, step);
    if (step.prompt) {
      const { messages } = await client.getPrompt({ name: step.prompt, arguments: step.arguments });
      return String(messages.length);
    }
    const { resources } = await client.listResources();
    return resources.some((resource) => resource.uri === step.listed) ? 'True' : 'False';
  } catch (error) {
    return `error ${error.code}`;
  }
}

setTimeout(() => process.exit(124), PATIENCE).unref();
const { client, protocol } = await connect();
const { tools } = await client.listTools();
const answers = [];
for (const step of steps) answers.push(await answer(client, step));
const report = { answers, protocol: protocol(), server: client.getServerVersion().name, tools: tools.length };
await client.close();
console.log(JSON.stringify(report));
