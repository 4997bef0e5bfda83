import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../kit/folder.ts';

/** The blocks of a page. A fence names the language and then a file, or the kind of a command. */
function blocksIn(markdown: string) {
  return Array.from(markdown.matchAll(/^```(\S*) *(.*)\n([\s\S]*?)^```$/gm), (found) => {
    const [, language = '', word = '', text = ''] = found;
    return { language, word, text, line: markdown.slice(0, found.index).split('\n').length };
  });
}

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

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
}

const FIRST_PORT = 8402;
const PORT = /(?<=localhost:|127\.0\.0\.1:|PORT=)84\d\d/g;
const MAX_WAIT_MS = 60_000;

/** What a terminal keeps for its later commands. */
const KEPT = /^(?:export|cd) .*\n/gm;

/** Instead of npx, which computes for a second before it starts a program of the folder. */
const NPX = '#!/bin/sh\nname=$1\nshift\nexec "node_modules/.bin/$name" "$@"\n';

/** Follows one tutorial in a folder, as its reader does. */
export class Reader {
  readonly #home = makeFolder();
  readonly folder = join(this.#home, 'work');
  readonly #programs = join(this.#home, 'programs');
  readonly #firstPort: number;
  #isBundled = false;
  readonly #servers: Started[] = [];
  #kept = '';

  /** `firstPort` stands for 8402, since another program of this machine may use the ports that the tutorials name. */
  constructor(firstPort: number) {
    this.#firstPort = firstPort;
    mkdirSync(this.folder);
    mkdirSync(this.#programs);
    writeFileSync(join(this.#programs, 'npx'), NPX, { mode: 0o755 });
  }

  /**
   * Does what each block of a page says, or leaves its commands out. Throws if an output differs from the page, or if nothing runs a
   * block. `isBundled` starts the bundles of our programs instead of the files that npm publishes, which take twice the processor time.
   */
  async follow(page: string, { withCommands = true, isBundled = false } = {}): Promise<void> {
    this.#isBundled = isBundled;
    const moved = (port: string) => String(Number(port) - FIRST_PORT + this.#firstPort);
    const blocks = blocksIn(readFileSync(page, 'utf8').replace(PORT, moved));
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

  /** Returns how the outcome differs from the page, if it does. */
  async #do(
    { language, word, text }: ReturnType<typeof blocksIn>[number],
    expected: RegExp | undefined,
  ): Promise<string | undefined> {
    if (language === 'sh' && word === 'restart') await this.#stop(this.#servers.pop());
    if (language === 'sh' && (word === 'server' || word === 'restart')) return this.#serve(text, expected);
    if (language === 'sh' && (word === '' || word === 'fails')) return this.#run(text, expected, word === 'fails');
    if (!/^[\w./-]+\.\w+$/.test(word)) return 'this is no command, output or named file, so nothing tests it';
    const file = join(this.folder, word);
    if (language === 'diff') return change(file, text);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return undefined;
  }

  /** Starts a program in a terminal of its own and waits until it prints what the page shows. */
  async #serve(text: string, expected: RegExp | undefined): Promise<string | undefined> {
    const server = this.#start(text);
    this.#servers.push(server);
    const lastMs = performance.now() + MAX_WAIT_MS;
    while (!expected?.test(server.output())) {
      if (server.child.exitCode !== null || performance.now() > lastMs) return `it printed\n${server.output()}`;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  }

  async #run(text: string, expected: RegExp | undefined, fails: boolean): Promise<string | undefined> {
    const commands = text.replace(/^npm install (.*)\n/gm, (_, names: string) => this.#link(names.split(' ')));
    const { child, output } = this.#start(this.#kept + commands);
    const [code] = (await once(child, 'close')) as [number | null];
    this.#kept += [...text.matchAll(KEPT)].join('');
    if ((code !== 0) !== fails) return `it ended with ${code} and printed\n${output()}`;
    return expected?.test(output()) === false ? `it printed\n${output()}` : undefined;
  }

  #start(commands: string): Started {
    const { folder } = this;
    const child = spawn('sh', ['-ec', `exec 2>&1\n${commands}`], {
      cwd: folder,
      detached: true,
      env: {
        PATH: `${this.#programs}:${process.env.PATH}`,
        HOME: this.#home,
        PORT: String(this.#firstPort),
        NPM_CONFIG_UPDATE_NOTIFIER: 'false',
        // A reader sits at a terminal.
        LOG_FORMAT: 'pretty',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    // Some answers end without a line feed.
    return { child, output: () => output.replace(/\n?$/, '\n') };
  }

  /** Instead of `npm install`: makes exactly the named packages of this repository, and of its lock, importable. */
  #link(names: readonly string[]): string {
    for (const name of names) {
      const [source, target] = [resolve('node_modules', name), join(this.folder, 'node_modules', name)];
      const { bin = {} } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
        bin?: Record<string, string>;
      };
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(source, target);
      for (const [command, path] of Object.entries(bin)) {
        const file = join(this.folder, 'node_modules/.bin', command);
        const program = join(source, this.#isBundled ? path.replace('/dist/', '/bin/') : path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
      }
    }
    return '';
  }

  /** Ctrl+C reaches all processes of a terminal. */
  async #stop({ child }: Partial<Started> = {}): Promise<void> {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    process.kill(-child.pid, 'SIGINT');
    await closed;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await this.#stop(server);
    await rm(this.#home, { recursive: true, force: true });
  }
}
