import { parseArgs } from 'node:util';
import { calledAs } from './config.ts';
import { Misunderstood } from './misunderstood.ts';

/** One option as it is read, shown by --help and completed by a shell. */
export interface OptionRow {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands for its value. */
  readonly takes?: string;
  readonly description: string;
  /** The values that it has, where they are few. */
  readonly values?: readonly string[];
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

/** What every command takes. */
export const COMMON: OptionTable = {
  pay: { type: 'boolean', description: 'pay for the answer, within the limits, without asking first' },
  credit: { type: 'boolean', description: 'pay from credit; buy a bundle of it when there is too little' },
  keypair: { type: 'string', takes: '<file>', description: 'a Solana CLI keypair file that signs' },
  rpc: { type: 'string', takes: '<url>', description: 'the Solana RPC to pay through' },
  gateway: { type: 'string', takes: '<url>', description: 'the gateway; else ASSET_GATEWAY_URL' },
  'max-call': { type: 'string', takes: '<usd>', description: 'the most that one call may cost; 0.01' },
  'max-day': { type: 'string', takes: '<usd>', description: 'the most that may be spent in 24 hours; 1' },
  timeout: { type: 'string', takes: '<seconds>', description: 'how long a call may take; 30' },
  json: { type: 'boolean', description: 'the answer byte for byte, also at a terminal' },
  'no-input': { type: 'boolean', description: 'never ask anything' },
  help: { type: 'boolean', short: 'h', description: 'show this' },
  version: { type: 'boolean', description: 'show the version' },
};

const DOLLARS = /^(?:\d{1,9})(?:\.\d{1,6})?$/;

/** The options of one command line. */
export class Values {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  is(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }
}

/** An amount in dollars; `name` says where it was given. */
export function dollarsIn(text: string, name: string): number {
  if (!DOLLARS.test(text))
    throw new Misunderstood(`${name} takes dollars such as 0.05${text === '' ? '' : `, not ${text}`}`);
  return Number(text);
}

const SECONDS = /^(?:\d{1,4})(?:\.\d{1,3})?$/;

/** A time in milliseconds, given in seconds. Throws for anything but a number above 0. */
export function millisecondsIn(text: string, name: string): number {
  const milliseconds = SECONDS.test(text) ? Number(text) * 1000 : 0;
  if (milliseconds > 0) return milliseconds;
  throw new Misunderstood(`${name} takes seconds such as 30`);
}

/** The words and options of a command line. Throws what was not understood, in the parser's first sentence. */
export function readArguments(args: readonly string[], options: OptionTable, strict: boolean) {
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short !== undefined && { short }) }]),
  );
  try {
    const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options: known, strict });
    return { words: positionals, values: new Values(values) };
  } catch (error) {
    const [sentence = ''] = String((error as Error).message).split('. ', 1);
    throw new Misunderstood(`${sentence}; ${calledAs().command} --help says what there is`);
  }
}
