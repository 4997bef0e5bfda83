import { pino } from 'pino';
import { spellingsOf } from './secrets.ts';
import type { LogLine } from './stages/trail.ts';

/** Takes whole lines. A stream says by an error that nobody reads them any more. */
export interface LogDestination {
  write(line: string): unknown;
  on?(event: 'error', listener: () => void): unknown;
}

/** Writes what happened: one JSON object a line. */
export interface Log {
  readonly request: (line: LogLine) => void;
  readonly notice: (message: string) => void;
  /** Something failed that no request can be told of. */
  readonly failure: (error: unknown) => void;
  /** Whether nobody reads it any more, and nothing is written. */
  readonly isLost: () => boolean;
}

/** A destination as long as it takes anything: when its reader has died, that is no reason to stop serving. */
class Outlet {
  readonly #destination: LogDestination;
  #isLost = false;

  constructor(destination: LogDestination) {
    this.#destination = destination;
    destination.on?.('error', () => this.#lose());
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  write(line: string): void {
    if (this.#isLost) return;
    try {
      this.#destination.write(line);
    } catch {
      this.#lose();
    }
  }

  #lose(): void {
    this.#isLost = true;
  }
}

/** How long a line waits for others: each write is a system call that wakes a reader. */
const BATCH_MS = 20;

/** Standard output, with the lines of a moment in one write. A process that ends by itself writes its last lines. */
class Output implements LogDestination {
  #lines = '';

  constructor() {
    process.once('exit', () => this.#flush());
  }

  write(line: string): void {
    if (this.#lines === '') setTimeout(() => this.#flush(), BATCH_MS).unref();
    this.#lines += line;
  }

  on(event: 'error', listener: () => void): void {
    process.stdout.on(event, listener);
  }

  #flush(): void {
    if (this.#lines !== '') process.stdout.write(this.#lines);
    this.#lines = '';
  }
}

let output: LogDestination | undefined;
/** Where lines go unless the gateway is started with a destination. A person at a terminal sees each line at once. */
export function standardOutput(): LogDestination {
  output ??= process.stdout.isTTY ? process.stdout : new Output();
  return output;
}

/** Each destination is listened to once, however many logs are written to it. */
const outlets = new WeakMap<LogDestination, Outlet>();

function outletOf(destination: LogDestination): Outlet {
  const outlet = outlets.get(destination) ?? new Outlet(destination);
  outlets.set(destination, outlet);
  return outlet;
}

const levelOf = ({ status, error }: LogLine): 'info' | 'warn' | 'error' => {
  if (error === 'internal_error' || error === 'upstream_auth_failed') return 'error';
  return status >= 500 ? 'warn' : 'info';
};

/** The log of a gateway that holds these secrets: none of them gets into a line, whatever an error's text says. */
export function createLog(
  level: string,
  secrets: readonly string[],
  destination: LogDestination = standardOutput(),
): Log {
  const outlet = outletOf(destination);
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, outlet);
  // The longest first: a secret may begin like another one.
  const hidden = secrets.flatMap(spellingsOf).sort((one, other) => other.length - one.length);
  const redact = (text: string): string =>
    hidden.reduce((result, secret) => result.replaceAll(secret, '[secret]'), text);
  return {
    request: (line) => {
      const safe = line.reason === undefined ? line : { ...line, reason: redact(line.reason) };
      logger[levelOf(line)](safe, 'request');
    },
    notice: (message) => logger.info(redact(message)),
    failure: (error) => logger.error({ reason: redact(String((error as Error)?.stack ?? error)) }, 'failure'),
    isLost: () => outlet.isLost,
  };
}

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
