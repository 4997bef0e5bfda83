import { createInterface } from 'node:readline/promises';
import { oneLine } from '@asset-gateway/protocol';
import pc from 'picocolors';
import yoctoSpinner, { type Spinner } from 'yocto-spinner';
import { terminalVariables } from '../config.ts';

export type Colours = ReturnType<typeof pc.createColors>;

const COLUMNS = 80;
/** The longest line on stderr. */
const MAX_NOTE = 2000;

function isColoured({ isTTY }: { isTTY?: boolean }): boolean {
  const { noColor, forceColor, isDumb } = terminalVariables();
  return !noColor && (forceColor || (isTTY === true && !isDumb));
}

/** A command's streams: data on stdout, everything else on stderr. */
export class Terminal {
  readonly isFormatted: boolean;
  readonly canAsk: boolean;
  readonly colours: Colours;
  readonly notes: Colours;
  #spinner: Spinner | undefined;

  constructor({ json, noInput }: { readonly json: boolean; readonly noInput: boolean }) {
    const { stdin, stdout, stderr } = process;
    this.isFormatted = stdout.isTTY === true && !json;
    this.canAsk = stdin.isTTY === true && stderr.isTTY === true && !noInput;
    this.colours = pc.createColors(this.isFormatted && isColoured(stdout));
    this.notes = pc.createColors(isColoured(stderr));
  }

  get columns(): number {
    return process.stdout.columns || terminalVariables().columns || COLUMNS;
  }

  /** Writes data unchanged to stdout. */
  write(data: string | Uint8Array): void {
    process.stdout.write(data);
  }

  /** Writes lines to stdout. */
  lines(lines: readonly string[]): void {
    process.stdout.write(`${lines.join('\n')}\n`);
  }

  /** Writes a line to stderr. */
  note(text: string, paint: (text: string) => string = String): void {
    this.#spinner?.stop();
    process.stderr.write(`${paint(oneLine(text, MAX_NOTE))}\n`);
  }

  /** Shows a spinner during the work. */
  async whileWaiting<T>(text: string, work: () => Promise<T>): Promise<T> {
    if (!process.stderr.isTTY || !this.isFormatted || terminalVariables().isDumb) return work();
    this.#spinner = yoctoSpinner({ text, stream: process.stderr }).start();
    try {
      return await work();
    } finally {
      this.#spinner.stop();
    }
  }

  /** Asks a yes-or-no question at the terminal. */
  async confirm(question: string): Promise<boolean> {
    this.#spinner?.stop();
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    try {
      const answer = await Promise.race([lines.question(`${oneLine(question, MAX_NOTE)} [y/N] `), closed]);
      return /^y(?:es)?$/i.test(answer.trim());
    } finally {
      lines.close();
    }
  }
}
