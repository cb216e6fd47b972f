// What the scripts of this folder share: a repository in a temporary folder, and an agent, which is a client of the
// server made with the official TypeScript SDK.
//
// The packages are in the `node_modules` at $CLIENT_PACKAGES, the program is at $CAIRN.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const find = createRequire(`${process.env.CLIENT_PACKAGES}/package.json`);

/// Loads a package. `import` only resolves packages next to this file; `require` can be given a path.
export const load = (name) => import(pathToFileURL(find.resolve(name)));

/// A temporary folder with its own settings of git.
export class Folder {
  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'cairn-agent-'));
    this.env = { ...process.env, HOME: this.path, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: join(this.path, 'gitconfig') };
    for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'XDG_CONFIG_HOME']) delete this.env[name];
    writeFileSync(this.env.GIT_CONFIG_GLOBAL, '[init]\n\tdefaultBranch = main\n');
  }

  remove() {
    rmSync(this.path, { recursive: true, force: true });
  }

  /// Returns a repository in a folder below.
  repository(name) {
    return new Repository(this, join(this.path, name));
  }
}

/// A repository, with the programs that run in it.
export class Repository {
  constructor(folder, path) {
    Object.assign(this, { folder, path });
  }

  run(program, ...args) {
    const options = { cwd: this.path, env: this.folder.env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };
    return execFileSync(program, args, options);
  }

  git(...args) {
    return this.run('git', ...args).trim();
  }

  cairn(...args) {
    return this.run(process.env.CAIRN, ...args);
  }

  /// Creates the repository and says who works in it.
  init(who) {
    mkdirSync(this.path, { recursive: true });
    this.git('init', '--quiet');
    this.identify(who);
    return this;
  }

  identify(who) {
    this.git('config', 'user.name', who);
    this.git('config', 'user.email', `${who.toLowerCase().replace(' ', '.')}@example.com`);
  }

  write(path, text) {
    const file = join(this.path, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  commit(message) {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', message);
  }

  /// Starts the server and connects an agent to it.
  async agent() {
    const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
    const client = new Client({ name: 'agent', version: '1' });
    const options = { command: process.env.CAIRN, args: ['mcp', 'start'], cwd: this.path, env: this.folder.env };
    await client.connect(new StdioClientTransport({ ...options, stderr: 'inherit' }));
    return new Agent(client);
  }
}

/// A connected client.
export class Agent {
  constructor(client) {
    this.client = client;
  }

  /// Calls a tool; a failed result is an exception. Returns the text and the structured content.
  async call(name, args = {}) {
    const { isError, content, structuredContent } = await this.client.callTool({ name, arguments: args });
    if (isError) throw new Error(`${name} ${JSON.stringify(args)}: ${content[0].text}`);
    return { text: content[0].text, data: structuredContent };
  }

  async close() {
    await this.client.close();
  }
}
