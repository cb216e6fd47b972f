// Counts the tokens of responses of MCP servers: of the tools that a response to `tools/list` defines (name,
// description, inputSchema), and of the text of the result of a call. Prints one number per line of the file.
//
// usage: CLIENT_PACKAGES=FOLDER node count_tokens.mjs FILE

import { readFileSync } from 'node:fs';

import { load } from './agent.mjs';

const { encode } = await load('gpt-tokenizer/encoding/o200k_base');

function text({ tools, content }) {
  if (tools) return JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
  return content.map((part) => part.text ?? '').join('\n');
}

for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) console.log(encode(text(JSON.parse(line).result)).length);
