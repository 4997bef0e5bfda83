import type { LogDestination } from './log.ts';
import type { LogLine } from './stages/trail.ts';

/** How log lines are written: for programs, or for a person at a terminal. */
export type LogFormat = 'json' | 'pretty';

/** Where lines go; a terminal says that it is one. */
interface Stream extends LogDestination {
  readonly isTTY?: boolean;
  on?(event: 'error', listener: () => void): unknown;
}

/** A line of the log as it was written: of a request, a notice or a failure. */
type Written = { readonly time: string; readonly msg: string } & Partial<LogLine>;

const MICROS = 1_000_000;
const WALLET_START = 4;

/** Text that cannot steer a terminal; only line breaks are kept. */
const harmless = (text: string): string => text.replace(/(?!\n)\p{C}/gu, ' ');

function request(line: Written): string {
  const { status, method, path, ms, upstreamMs, error, reason, wallet, paidMicros, replayed, budgetLeft } = line;
  return [
    `${status} ${method} ${path}`,
    error && (reason ? `${error} (${reason})` : error),
    paidMicros !== undefined && `paid $${paidMicros / MICROS}`,
    replayed && 'paid before',
    `${ms} ms${upstreamMs === undefined ? '' : `, upstream ${upstreamMs} ms`}`,
    wallet && `wallet ${wallet.slice(0, WALLET_START)}…`,
    budgetLeft !== undefined && `${budgetLeft} left`,
  ]
    .filter((part) => part)
    .join('  ');
}

function textOf(line: Written): string {
  if (line.msg === 'request') return request(line);
  return line.reason === undefined ? line.msg : `${line.msg}: ${line.reason}`;
}

/** One JSON line of the log as a person reads it. */
export function prettyLine(json: string): string {
  const line = JSON.parse(json) as Written;
  const clock = new Date(line.time).toTimeString().slice(0, 'hh:mm:ss'.length);
  return `${clock}  ${harmless(textOf(line))}\n`;
}

/** A destination that is given lines in a format; unless told, a terminal gets them for a person to read. */
export function inFormat(format: LogFormat | undefined, destination: Stream): Stream {
  const chosen = format ?? (destination.isTTY === true ? 'pretty' : 'json');
  if (chosen === 'json') return destination;
  return {
    write: (line) => destination.write(prettyLine(line)),
    on: (event, listener) => destination.on?.(event, listener),
  };
}
