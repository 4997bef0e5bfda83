import { parseArgs } from 'node:util';
import type { Cluster } from '@asset-gateway/protocol';
import { Misunderstood } from '../request.ts';

export const USAGE = `Usage: asset-gateway-client mcp [--budget-usd <usd>] [--keypair <file>] [--rpc <url>] [--tools=all]
       asset-gateway-client mcp --http [<port>]

  An MCP server on stdin and stdout: assets, wallets and Solana data as tools of a language model.
  --budget-usd   what it may spend in 24 hours without asking; 0 unless told
  --max-call     the most that one call may cost without asking; 0.01 unless told
  --keypair      a Solana CLI keypair file that signs and pays
  --rpc          the Solana RPC to pay through
  --cluster      mainnet or devnet, for what is paid; mainnet unless told
  --tools=all    every method as a tool of its own
  --http         streamable HTTP on 127.0.0.1 instead, for a program of this machine: without a wallet, so that it never pays

  ASSET_GATEWAY_URL is the gateway; unset, http://localhost:8402.

Examples:
  asset-gateway-client mcp
  asset-gateway-client mcp --budget-usd 0.05 --keypair ~/.config/solana/id.json --rpc https://api.mainnet-beta.solana.com
`;

const OPTIONS = {
  'budget-usd': { type: 'string', default: '0' },
  cluster: { type: 'string', default: 'mainnet' },
  help: { type: 'boolean', short: 'h', default: false },
  http: { type: 'boolean', default: false },
  keypair: { type: 'string' },
  'max-call': { type: 'string', default: '0.01' },
  rpc: { type: 'string' },
  tools: { type: 'string', default: 'usual' },
} as const;

/** What the words of the command say. */
export interface Settings {
  readonly isHelp: boolean;
  /** Serves HTTP there; stdio where it is nothing. */
  readonly port: number | undefined;
  readonly isAll: boolean;
  readonly cluster: Cluster;
  readonly budget: { readonly perCallUsd: number; readonly perDayUsd: number };
  readonly keypair: string | undefined;
  readonly rpc: string | undefined;
}

const DOLLARS = /^\d{1,9}(?:\.\d{1,6})?$/;
const DEFAULT_PORT = 8405;

function dollarsIn(text: string, name: string): number {
  if (!DOLLARS.test(text)) throw new Misunderstood(`${name} takes dollars such as 0.05`);
  return Number(text);
}

function oneOf<T extends string>(text: string, values: readonly T[], name: string): T {
  const found = values.find((value) => value === text);
  if (!found) throw new Misunderstood(`${name} is one of ${values.join(', ')}`);
  return found;
}

function portIn([text = String(DEFAULT_PORT), ...more]: readonly string[]): number {
  const port = Number(text);
  if (more.length > 0 || !/^\d{1,5}$/.test(text) || port > 65_535) throw new Misunderstood('--http takes a port');
  return port;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    const [sentence = ''] = String((error as Error).message).split('. ', 1);
    throw new Misunderstood(`${sentence}\n${USAGE.trimEnd()}`);
  }
}

/** Reads the words after `mcp`. Throws what was not understood. */
export function readSettings(args: readonly string[]): Settings {
  const { values, positionals } = parse(args);
  if (!values.http && positionals.length > 0) throw new Misunderstood('mcp takes no words but its options');
  const perDayUsd = dollarsIn(values['budget-usd'], '--budget-usd');
  return {
    isHelp: values.help,
    port: values.http ? portIn(positionals) : undefined,
    isAll: oneOf(values.tools, ['usual', 'all'], '--tools') === 'all',
    cluster: oneOf(values.cluster, ['mainnet', 'devnet'], '--cluster'),
    budget: { perDayUsd, perCallUsd: Math.min(perDayUsd, dollarsIn(values['max-call'], '--max-call')) },
    keypair: values.keypair,
    rpc: values.rpc,
  };
}
