import { parseArgs } from 'node:util';
import { attempt, CLUSTERS, losslessValue } from '@asset-gateway/protocol/wire';
import { calledAs, variable } from './config.ts';
import { UsageError } from './failure.ts';

/** An option, for the parser, the help and the completion. */
interface OptionRow {
  readonly short?: string;
  /** The placeholder of the option's value; undefined if it has none. */
  readonly takes?: string;
  readonly description: string;
  /** All allowed values, if there are few. */
  readonly values?: readonly string[];
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

/** The options of every command. */
export const COMMON: OptionTable = {
  pay: { description: 'pay within the limits without asking' },
  credit: { description: 'pay from credit; buy a bundle if it is too low' },
  keypair: { takes: '<file>', description: 'the Solana CLI keypair file to sign with' },
  rpc: { takes: '<url>', description: 'the Solana RPC to pay through' },
  gateway: { takes: '<url>', description: 'the gateway; default: ASSET_GATEWAY_URL' },
  'max-call': { takes: '<usd>', description: 'the limit of one call; default: 0.01' },
  'max-day': { takes: '<usd>', description: 'the limit of 24 hours; default: 1' },
  timeout: { takes: '<seconds>', description: 'the time limit of a call; default: 30' },
  json: { description: 'print the answer byte for byte' },
  'no-input': { description: 'never ask' },
  help: { short: 'h', description: 'show this help' },
  version: { description: 'show the version' },
};

/** Variables that set an option of every command, and default values. */
const VARIABLES: Readonly<Record<string, readonly [name: string, fallback?: string]>> = {
  keypair: ['ASSET_GATEWAY_KEYPAIR'],
  rpc: ['ASSET_GATEWAY_RPC_URL'],
  gateway: ['ASSET_GATEWAY_URL', 'http://localhost:8402'],
  'max-call': ['ASSET_GATEWAY_MAX_USD_PER_CALL', '0.01'],
  'max-day': ['ASSET_GATEWAY_MAX_USD_PER_DAY', '1'],
};

/** The option of commands that run on one cluster. */
export const CLUSTER: OptionTable = {
  cluster: { takes: '<name>', description: 'default: mainnet', values: CLUSTERS },
};

const DOLLARS = /^(?:\d{1,9})(?:\.\d{1,6})?$/;

/** The option values of one command line. */
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

  /** Returns the value of an option or its variable, and the name to use in messages. */
  given(option: string): { readonly text: string | undefined; readonly source: string } {
    const own = this.text(option);
    if (own !== undefined) return { text: own, source: `--${option}` };
    const [source = '', fallback] = VARIABLES[option] ?? [];
    return { text: variable(source) ?? fallback, source };
  }
}

/** Returns the text if it is one of these values. Throws otherwise. */
export function oneOf<T extends string>(text: string, values: readonly T[], name: string): T {
  const found = values.find((value) => value === text);
  if (!found) throw new UsageError(`${name} must be one of ${values.join(', ')}`);
  return found;
}

/** Returns the cluster of `--cluster`. */
export const clusterIn = (values: Values): 'mainnet' | 'devnet' =>
  oneOf(values.text('cluster') ?? 'mainnet', CLUSTERS, '--cluster');

/** Parses an amount in dollars. `name`: the option or variable. */
export function dollarsIn(text: string, name: string): number {
  if (!DOLLARS.test(text))
    throw new UsageError(`${name} takes dollars such as 0.05${text === '' ? '' : `, not ${text}`}`);
  return Number(text);
}

const SECONDS = /^(?:\d{1,4})(?:\.\d{1,3})?$/;

/** Parses seconds into milliseconds. Throws unless they are above 0. */
export function millisecondsIn(text: string, name: string): number {
  const milliseconds = SECONDS.test(text) ? Number(text) * 1000 : 0;
  if (milliseconds > 0) return milliseconds;
  throw new UsageError(`${name} takes seconds such as 30`);
}

/** Returns a command line's words and options. Throws a `UsageError` with the parser's first sentence. */
export function readArguments(args: readonly string[], options: OptionTable, isStrict: boolean) {
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { takes, short }]) => {
      const type = takes ? ('string' as const) : ('boolean' as const);
      return [name, short === undefined ? { type } : { type, short }];
    }),
  );
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: known,
      strict: isStrict,
    });
    return { words: positionals, values: new Values(values) };
  } catch (error) {
    const [sentence = ''] = String((error as Error).message).split('. ', 1);
    throw new UsageError(`${sentence}; ${calledAs().command} --help lists the options`);
  }
}

/** Returns the option of a parameter. */
export const optionName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Parses a word as JSON, with every digit. Otherwise it is text. */
export const jsonOrText = (word: string): unknown =>
  attempt(() => {
    const value: unknown = JSON.parse(word);
    return losslessValue(word) ?? value;
  }, word);
