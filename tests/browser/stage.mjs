// A new repository, a server for it, and a browser.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { CAIRN, CHROMIUM, BROWSER_PACKAGES, BROWSER_SHOTS } = process.env;
const packages = createRequire(join(BROWSER_PACKAGES, 'x.js'));
const { chromium } = packages('playwright-core');
const AXE = packages.resolve('axe-core/axe.min.js');

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

/** Starts the browser; retries, since it is known to crash at startup on a busy machine. */
export async function launch(n_tries = 3) {
  try {
    return await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  } catch (error) {
    if (n_tries === 1) throw error;
    return launch(n_tries - 1);
  }
}

/** The environment of a scene. */
export class Stage {
  static async open(browser) {
    const stage = new Stage();
    stage.browser = browser;
    stage.home = mkdtempSync(join(tmpdir(), 'cairn-browser-'));
    stage.place = join(stage.home, 'shop');
    mkdirSync(stage.place);
    mkdirSync(BROWSER_SHOTS, { recursive: true });
    writeFileSync(join(stage.home, 'gitconfig'), '[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n');
    stage.environment = {
      PATH: process.env.PATH, HOME: stage.home, XDG_CONFIG_HOME: stage.home, NO_COLOR: '1', TZ: 'UTC', LC_ALL: 'C.UTF-8',
      GIT_CONFIG_GLOBAL: join(stage.home, 'gitconfig'), GIT_CONFIG_NOSYSTEM: '1',
    };
    execFileSync('git', ['init', '-q'], stage.options());
    await stage.serve('127.0.0.1:0');
    return stage;
  }

  options() {
    return { cwd: this.place, env: this.environment, encoding: 'utf8' };
  }

  /** Starts the server and waits for its address. */
  async serve(address) {
    this.server = spawn(CAIRN, ['serve', '--json', '--addr', address], { ...this.options(), stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await createInterface({ input: this.server.stdout })[Symbol.asyncIterator]().next().then((said) => [said.value]);
    const said = JSON.parse(line);
    this.authority = said.address;
    this.token = said.token ?? this.token;
    this.url = `http://${said.address}`;
  }

  async stopServing() {
    const ended = new Promise((resolve) => this.server.once('exit', resolve));
    this.server.kill('SIGTERM');
    await ended;
  }

  /** Runs the program's command line. */
  cairn(...words) {
    return this.run(words, this.environment);
  }

  run(words, env) {
    return new Promise((resolve, reject) => {
      execFile(CAIRN, words, { ...this.options(), env }, (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(stdout)));
    });
  }

  /** Runs the command line as somebody else, `Name <email>`. */
  as(person, ...words) {
    const [name, email] = person.slice(0, -1).split(' <');
    return this.run(words, { ...this.environment, GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email });
  }

  async json(...words) {
    return JSON.parse(await this.cairn('--json', ...words));
  }

  /** Calls a tool over MCP, in one request. */
  async tool(name, args) {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'browser', version: '1' },
    };
    const answer = await fetch(`${this.url}/mcp/cairn`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.token}`, 'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: meta } }),
    });
    const text = await answer.text();
    if (!answer.ok || text.includes('"isError":true') || text.includes('"error"')) throw new Error(`${name}: ${answer.status} ${text}`);
  }

  /** Opens a window without a login; its console errors are collected. */
  async window(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.complaints = [];
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => message.type() === 'error' && page.complaints.push(`console: ${message.text()} ${message.location().url}`));
    page.on('pageerror', (error) => page.complaints.push(`script: ${error.message}`));
    page.on('dialog', (dialog) => { page.complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${this.url}/`) && !request.url().startsWith('data:')) page.complaints.push(`asked elsewhere: ${request.url()}`);
    });
    return page;
  }

  /** Opens a window and logs in. */
  async signedIn(options = {}, token = this.token) {
    const page = await this.window(options);
    await page.goto(`${this.url}/login`);
    await page.getByLabel(/token/i).fill(token);
    await page.getByRole('button').first().click();
    await page.waitForURL(`${this.url}/`);
    return page;
  }

  async shot(page, name) {
    await page.screenshot({ path: join(BROWSER_SHOTS, `${name}.png`) });
  }

  /** Waits until what the address opens is open and nothing moves: half-transparent text has too little contrast. */
  async settled(page) {
    if (new URL(page.url()).searchParams.has('item')) await page.locator('.sheet .item').waitFor();
    await page.waitForFunction(() => document.getAnimations().every(({ effect }) => effect.getComputedTiming().progress === null || effect.getTiming().iterations === Infinity));
  }

  /** Returns the accessibility problems that axe finds on a page. */
  async violations(page) {
    // Through the DevTools protocol, since the page's CSP blocks injected scripts. It takes a reload, which closes dialogs,
    // so only the first check of a window has one.
    if (!await page.evaluate(() => 'axe' in globalThis)) {
      await page.addInitScript({ path: AXE });
      await page.reload();
      await page.waitForLoadState();
    }
    await this.settled(page);
    const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
  }

  async close() {
    for (const context of this.browser.contexts()) await context.close();
    this.server?.kill('SIGKILL');
    rmSync(this.home, { recursive: true, force: true });
  }
}
