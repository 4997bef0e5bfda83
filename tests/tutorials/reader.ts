import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inTerminal } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { changeExamples, prepareClone } from './clone.ts';

/** The blocks of a page. A fence names the language and then a file, or the kind of a command. */
export function blocksIn(markdown: string) {
  return Array.from(markdown.matchAll(/^```(\S*) *(.*)\n([\s\S]*?)^```$/gm), (found) => {
    const [, language = '', word = '', text = ''] = found;
    return { language, word, text, line: markdown.slice(0, found.index).split('\n').length };
  });
}

type Block = ReturnType<typeof blocksIn>[number];

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Changes a file as a diff without line numbers says. Returns why it cannot. */
function change(file: string, diff: string): string | undefined {
  const [text, before] = [readFileSync(file, 'utf8'), sideOf(diff, '+')];
  if (text.split(before).length !== 2) return 'the file does not contain these lines exactly once';
  writeFileSync(
    file,
    text.replace(before, () => sideOf(diff, '-')),
  );
  return undefined;
}

/** The output that a page shows: `…` is any text of a line and, alone, any number of lines. A server may print more around it. */
export function patternOf(expected: string, isServer: boolean): RegExp {
  const lines = expected.trimEnd().split('\n');
  const parts = lines.map((line) =>
    line.trim() === '…' ? '(?:.*\\n)*?' : `${line.trimEnd().split('…').map(escaped).join('.*')}[ \\r]*\\n`,
  );
  return isServer ? new RegExp(`^${parts.join('')}`, 'm') : new RegExp(`^${parts.join('')}$`);
}

/** The lines of a diff without the removed or the added ones: a part of the file after or before the change. */
const sideOf = (diff: string, others: '-' | '+'): string =>
  diff.replace(/^(.)(.*\n)/gm, (_, sign, line) => (sign === others ? '' : line));

const ESCAPE = '\u001B';
const CONTROL = new RegExp(`${ESCAPE}(?:\\[[?\\d;]*[A-Za-z]|[=>])`, 'g');
const ERASURE = new RegExp(`${ESCAPE}\\[\\d*K`);

/** What is left on the screen of a terminal: no colours, no spinners. */
const screenOf = (output: string): string =>
  output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => (line.split(ERASURE).at(-1) ?? '').replaceAll(CONTROL, '').replaceAll('\r', ''))
    .join('\n')
    // Some answers end without a line feed.
    .replace(/\n?$/, '\n');

interface Started {
  readonly child: ChildProcess;
  readonly screen: () => string;
}

const FIRST_PORT = 8402;
const PORT = /(?<=localhost:|127\.0\.0\.1:|PORT=)84\d\d/g;
const MAX_WAIT_MS = 100_000;
const REPOSITORY = '<this repository>';
const CTRL_C = '\u0003';

/** What a terminal keeps for its later commands. */
const KEPT = /^export .*\n/gm;

/** What a reader needs. */
interface ReaderOptions {
  /** Stands for 8402, since another program of this machine may use the ports that the tutorials name. */
  readonly firstPort: number;
  /** The program that opens a terminal. */
  readonly script: string;
  /** What the reader clones. */
  readonly repository: string;
}

/** Follows one tutorial at a terminal, as its reader does. */
export class Reader {
  readonly #home = makeFolder();
  readonly #options: ReaderOptions;
  readonly #servers: Started[] = [];
  #kept = '';
  /** The reader's folder: at first an empty one, then the clone. */
  folder = join(this.#home, 'work');

  constructor(options: ReaderOptions) {
    this.#options = options;
    mkdirSync(this.folder);
  }

  /** Does what each block of a page says, or leaves its commands out. Throws if an output differs from the page, or if nothing runs a block. */
  async follow(page: string, { withCommands = true } = {}): Promise<void> {
    const blocks = blocksIn(this.#moved(readFileSync(page, 'utf8')));
    for (const [index, block] of blocks.entries()) {
      if (block.language === 'text' && blocks[index - 1]?.language === 'sh') continue;
      if (block.language === 'sh' && !withCommands) continue;
      const next = blocks[index + 1];
      const isServer = /^(?:server|restart)$/.test(block.word);
      const expected = next?.language === 'text' ? patternOf(next.text, isServer) : undefined;
      const fault = await this.#do(block, expected);
      if (fault !== undefined) throw new Error(`${page}:${block.line}: ${fault}\n${block.text}${next?.text ?? ''}`);
    }
  }

  #moved(text: string): string {
    const { firstPort } = this.#options;
    return text.replace(PORT, (port) => String(Number(port) - FIRST_PORT + firstPort));
  }

  /** Returns how the outcome differs from the page, if it does. */
  async #do({ language, word, text }: Block, expected: RegExp | undefined): Promise<string | undefined> {
    if (language === 'sh' && word === 'clone') return this.#clone(text);
    if (language === 'sh' && word === 'restart') await this.#stop(this.#servers.pop());
    if (language === 'sh' && (word === 'server' || word === 'restart')) return this.#serve(text, expected);
    if (language === 'sh' && (word === '' || word === 'fails')) return this.#run(text, expected, word === 'fails');
    if (!/^[\w./-]+\.\w+$/.test(word)) return 'this is no command, output or named file, so nothing tests it';
    const file = join(this.folder, word);
    if (language === 'diff') return change(file, text);
    // The reader has these files already.
    if (word.startsWith('examples/')) return readFileSync(file, 'utf8') === text ? undefined : 'the file differs';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return undefined;
  }

  async #clone(text: string): Promise<string | undefined> {
    const fault = await this.#run(text.replace(REPOSITORY, `--quiet ${this.#options.repository}`), undefined, false);
    if (fault !== undefined) return fault;
    const [, name = ''] = / (\S+) && cd \1$/m.exec(text) ?? [];
    if (name === '') return 'it does not lead into the clone';
    this.folder = join(this.folder, name);
    prepareClone(this.folder);
    changeExamples(this.folder, (example) => this.#moved(example));
    return undefined;
  }

  /** Starts a program in a terminal of its own and waits until it prints what the page shows. */
  async #serve(text: string, expected: RegExp | undefined): Promise<string | undefined> {
    const server = this.#start(text);
    this.#servers.push(server);
    const lastMs = performance.now() + MAX_WAIT_MS;
    while (!expected?.test(server.screen())) {
      if (server.child.exitCode !== null || performance.now() > lastMs) return `it printed\n${server.screen()}`;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  }

  async #run(text: string, expected: RegExp | undefined, fails: boolean): Promise<string | undefined> {
    const { child, screen } = this.#start(this.#kept + text);
    const [code] = (await once(child, 'close')) as [number | null];
    this.#kept += [...text.matchAll(KEPT)].join('');
    if ((code !== 0) !== fails) return `it ended with ${code} and printed\n${screen()}`;
    return expected?.test(screen()) === false ? `it printed\n${screen()}` : undefined;
  }

  #start(commands: string): Started {
    const { script, firstPort } = this.#options;
    const [program = '', ...words] = inTerminal(script, ['sh', '-ec', `stty cols 120\n${commands}`]);
    const child = spawn(program, words, {
      cwd: this.folder,
      env: {
        PATH: process.env.PATH,
        HOME: this.#home,
        TERM: 'xterm',
        SHELL: '/bin/sh',
        PORT: String(firstPort),
        ASSET_GATEWAY_URL: `http://localhost:${firstPort}`,
        NPM_CONFIG_UPDATE_NOTIFIER: 'false',
        // A reader sits at a terminal.
        LOG_FORMAT: 'pretty',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    return { child, screen: () => screenOf(output) };
  }

  async #stop({ child }: Partial<Started> = {}): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.stdin?.write(CTRL_C);
    await closed;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await this.#stop(server);
    await rm(this.#home, { recursive: true, force: true });
  }
}
