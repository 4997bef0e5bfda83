import { parseArgs } from 'node:util';
import { decodeBase58 } from '@asset-gateway/protocol';
import { GROUPINGS, type Grouping } from './books.ts';

/** The output of `asset-gateway sales --help`. */
export const USAGE = `Usage: asset-gateway sales [--since 7d] [--by route|wallet|day|cluster] [--csv|--json]
       asset-gateway sales --follow [--since 1h] [--csv|--json]
       asset-gateway sales unresolved [--csv|--json]
       asset-gateway sales verify [--since 7d] [--repair] [--csv|--json]
       asset-gateway sales verify --grant <signature> [--since all]
       asset-gateway sales clock [--accept] [--csv|--json]
  Reports sales and fees, and compares the books (the SQL tables of money) with the chain. It reads the
  same variables as the gateway, and may run while the gateway serves.
  --since     a span such as 7d, 24h or 90m, a date such as 2026-11-01, or all; default: 7d. The period
              ends now; for one past day, use --by day
  --by        the grouping: route, wallet, day or cluster; default: route
  --follow    writes each entry as it is appended
  unresolved  lists payments with an unknown outcome that may have moved money
  verify      compares the journal with the payee's transfers on the chain; ends with 1 if they differ
  --repair    appends missing entries that this gateway's memo or debit proves, with their credit; without DATABASE_URL,
              stop the gateway first
  --grant     appends the transfer with this signature and grants its whole amount as credit, without a proof
  clock       shows whether the wall clock has jumped; the gateway deletes nothing until you correct it or --accept it
  --csv       writes a spreadsheet, --json writes JSON. Both give money in millionths of a dollar
`;

/** The output format: for a person, a spreadsheet or a program. */
export type ReportFormat = 'table' | 'csv' | 'json';

/** The task of a command line. */
export interface SalesTask {
  readonly kind: 'group' | 'follow' | 'unresolved' | 'verify' | 'clock';
  readonly sinceMs: number;
  readonly by: Grouping;
  readonly format: ReportFormat;
  readonly repair: boolean;
  readonly accept: boolean;
  /** The signature of the transaction to grant. */
  readonly grant: string | undefined;
}

/** Thrown if arguments are invalid. */
export class UsageError extends Error {}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const SPAN = /^(\d{1,5})([mhd])$/;
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z)?$/;
const WEEK = '7d';

/** Returns the start of a period such as `7d`, `90m`, `2026-11-01`, `2026-11-01T12:00Z` or `all`; undefined if the text is invalid. */
export function sinceOf(text: string, nowMs: number): number | undefined {
  const [, count, unit = ''] = SPAN.exec(text) ?? [];
  if (count !== undefined) return nowMs - Number(count) * (UNITS_MS[unit] ?? 0);
  if (text === 'all') return 0;
  const atMs = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

export const isGrouping = (text: string): text is Grouping => GROUPINGS.some((each) => each === text);

const SIGNATURE_BYTES = 64;

/** Whether a text can be the signature of a transaction. Only signatures may be sent to an RPC. */
export const isSignature = (text: string): boolean => decodeBase58(text, SIGNATURE_BYTES) !== undefined;

const OPTIONS = {
  since: { type: 'string' },
  by: { type: 'string' },
  csv: { type: 'boolean' },
  json: { type: 'boolean' },
  follow: { type: 'boolean' },
  repair: { type: 'boolean' },
  grant: { type: 'string' },
  accept: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The options of each task, besides `--csv` and `--json`. */
const ALLOWED: Readonly<Record<SalesTask['kind'], readonly string[]>> = {
  group: ['since', 'by'],
  follow: ['since', 'follow'],
  unresolved: [],
  verify: ['since', 'repair', 'grant'],
  clock: ['accept'],
};

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function taskKindOf(positionals: readonly string[], isFollowing = false): SalesTask['kind'] {
  const [word, ...others] = positionals;
  if (word === undefined) return isFollowing ? 'follow' : 'group';
  if (others.length === 0 && (word === 'unresolved' || word === 'verify' || word === 'clock')) return word;
  throw new UsageError(`unknown argument ${JSON.stringify(positionals.join(' '))}.`);
}

/** Reads a command line. Throws a UsageError if it is invalid. */
export function readTask(words: readonly string[], nowMs: number): SalesTask | 'help' {
  const { values, positionals } = parse(words);
  if (values.help) return 'help';
  const kind = taskKindOf(positionals, values.follow);
  const { by = GROUPINGS[0], csv, json, repair = false, accept = false, grant } = values;
  const strange = Object.keys(values).find((name) => ![...ALLOWED[kind], 'csv', 'json'].includes(name));
  if (strange !== undefined) throw new UsageError(`--${strange} does not apply here.`);
  if (csv && json) throw new UsageError('--csv and --json cannot be combined.');
  if (grant !== undefined && (repair || !isSignature(grant)))
    throw new UsageError('--grant takes the signature of one transaction, without --repair.');
  const sinceMs = sinceOf(values.since ?? (kind === 'follow' ? '0m' : WEEK), nowMs);
  if (sinceMs === undefined) throw new UsageError('--since is a span such as 7d, 24h or 90m, a date, or all.');
  if (!isGrouping(by)) throw new UsageError(`--by is one of ${GROUPINGS.join(', ')}.`);
  const format: ReportFormat = csv ? 'csv' : json ? 'json' : 'table';
  return { kind, sinceMs, by, format, repair, accept, grant };
}
