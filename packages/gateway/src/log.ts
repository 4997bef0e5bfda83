import { dollarText, harmless } from '@asset-gateway/protocol';
import { pino } from 'pino';
import type { BackgroundFailure } from './background.ts';
import { spellingsOf } from './secrets.ts';
import { stackOf } from './stack.ts';
import type { LogLine } from './stages/trail.ts';

/** Where log lines go. It takes whole lines, and emits `error` when its reader is gone. */
export interface LogDestination {
  write(line: string): unknown;
  on?(event: 'error', listener: () => void): unknown;
}

/** How long lines are batched, in milliseconds, because each write is a system call that wakes a reader. */
const BATCH_MS = 20;

/**
 * Writes to standard output in batches. Flushes when the process exits. `pino.destination` with a periodic flush takes a hundredth of a
 * core while idle.
 */
class BatchedOutput implements LogDestination {
  #lines = '';

  constructor() {
    process.once('exit', this.#flush);
  }

  write(line: string): void {
    if (this.#lines === '') setTimeout(this.#flush, BATCH_MS).unref();
    this.#lines += line;
  }

  on(event: 'error', listener: () => void): void {
    process.stdout.on(event, listener);
  }

  readonly #flush = (): void => {
    if (this.#lines !== '') process.stdout.write(this.#lines);
    this.#lines = '';
  };
}

let output: LogDestination | undefined;
/** Returns the default destination, standard output. A terminal shows each line at once. */
export function standardOutput(): LogDestination {
  output ??= process.stdout.isTTY ? process.stdout : new BatchedOutput();
  return output;
}

/** Whether each destination has failed. The gateway goes on serving when its log's reader has died. */
const failed = new WeakMap<LogDestination, boolean>();

/** Watches a destination for errors. Adds one listener even if several logs write to it. */
function watch(destination: LogDestination): void {
  if (failed.has(destination)) return;
  failed.set(destination, false);
  destination.on?.('error', () => failed.set(destination, true));
}

const levelOf = ({ status, error }: LogLine): 'info' | 'warn' | 'error' => {
  if (error === 'internal_error' || error === 'upstream_auth_failed') return 'error';
  return status >= 500 ? 'warn' : 'info';
};

/** The log of a gateway. */
export interface Log {
  request(line: LogLine): void;
  /** Reports what an operator should know, such as a database that does not answer. */
  notice(message: string): void;
  /** Reports the start. Only programs see `fields`, which hold no secret. */
  started(message: string, fields: object): void;
  /** Reports a failure that no response can report. */
  failure(error: unknown): void;
  /** Reports that background work failed. */
  background(failure: BackgroundFailure): void;
  /** Whether the log's reader is gone, so that nothing is written. */
  isLost(): boolean;
}

/** Returns a log with one JSON object a line. Redacts these secrets from messages and from `reason`. Writes the other members unchanged. */
export function createLog(
  level: string,
  secrets: readonly string[],
  destination: LogDestination = standardOutput(),
): Log {
  watch(destination);
  const outlet = {
    write(line: string) {
      try {
        if (!failed.get(destination)) destination.write(line);
      } catch {
        failed.set(destination, true);
      }
    },
  };
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, outlet);
  // Replace the longest first, because a secret may be a prefix of another.
  const hidden = secrets.flatMap(spellingsOf).sort((one, other) => other.length - one.length);
  const redact = (text: string): string =>
    hidden.reduce((result, secret) => result.replaceAll(secret, '[secret]'), text);
  return {
    request(line) {
      const safe = line.reason === undefined ? line : { ...line, reason: redact(line.reason) };
      logger[levelOf(line)](safe, 'request');
    },
    notice: (message) => logger.warn(redact(message)),
    started: (message, fields) => logger.info(fields, redact(message)),
    failure(error) {
      logger.error({ reason: redact(stackOf(error)) }, 'failure');
    },
    background({ task, failures, error }) {
      logger.error({ task, failures, reason: redact(stackOf(error)) }, 'background work failed');
    },
    isLost: () => failed.get(destination) === true,
  };
}

type Stream = LogDestination & { readonly isTTY?: boolean };

/** A parsed log line of a request, a notice or a failure. */
type ParsedLine = { readonly time: string; readonly msg: string; readonly task?: string } & Partial<LogLine>;

const WALLET_START = 4;

function requestText(line: ParsedLine): string {
  const { status, method, path, ms, upstreamMs, error, reason, wallet, budgetLeft } = line;
  const { paidMicros, creditMicros, replayed } = line;
  return [
    `${status} ${method} ${path}`,
    error && (reason ? `${error} (${reason})` : error),
    paidMicros !== undefined && `paid ${dollarText(paidMicros)}`,
    creditMicros !== undefined && `paid ${dollarText(creditMicros)} from credit`,
    replayed && 'paid before',
    `${ms} ms${upstreamMs === undefined ? '' : `, upstream ${upstreamMs} ms`}`,
    wallet && `wallet ${wallet.slice(0, WALLET_START)}…`,
    budgetLeft !== undefined && `${budgetLeft} left`,
  ]
    .filter((part) => part)
    .join('  ');
}

const withoutFrames = (stack = ''): string =>
  stack
    .split('\n')
    .filter((each) => !each.startsWith('    at '))
    .join('\n');

function lineText(line: ParsedLine): string {
  if (line.msg === 'request') return requestText(line);
  // A terminal shows the stack of a bug, but not of a failed connection.
  const isConnection = line.task !== undefined && line.reason?.startsWith('Error: ');
  const reason = isConnection ? withoutFrames(line.reason) : line.reason;
  return [line.msg, line.task, reason].filter((part) => part !== undefined).join(': ');
}

/** Formats one JSON log line for a terminal. */
export function prettyLine(json: string): string {
  const line = JSON.parse(json) as ParsedLine;
  const clock = new Date(line.time).toTimeString().slice(0, 'hh:mm:ss'.length);
  return `${clock}  ${harmless(lineText(line))}\n`;
}

type LogFormat = 'json' | 'pretty';

/** Returns the format for a destination. If none is chosen: `pretty` for a terminal, otherwise JSON. */
export const formatFor = (format: LogFormat | undefined, { isTTY }: Stream): LogFormat =>
  format ?? (isTTY === true ? 'pretty' : 'json');

/** Returns a destination that receives lines in the chosen format. */
export function inFormat(format: LogFormat | undefined, destination: Stream): Stream {
  if (formatFor(format, destination) === 'json') return destination;
  return {
    write: (line) => destination.write(prettyLine(line)),
    on: (event, listener) => destination.on?.(event, listener),
  };
}
