import { pino } from 'pino';
import { spellingsOf } from './secrets.ts';
import type { LogLine } from './stages/trail.ts';

/** Takes whole lines. */
export interface LogDestination {
  write(line: string): void;
}

/** Writes what happened: one JSON object a line. */
export interface Log {
  readonly request: (line: LogLine) => void;
  readonly notice: (message: string) => void;
  /** Something failed that no request can be told of. */
  readonly failure: (error: unknown) => void;
}

const levelOf = ({ status, error }: LogLine): 'info' | 'warn' | 'error' => {
  if (error === 'internal_error' || error === 'upstream_auth_failed') return 'error';
  return status >= 500 ? 'warn' : 'info';
};

/** The log of a gateway that holds these secrets: none of them gets into a line, whatever an error's text says. */
export function createLog(level: string, secrets: readonly string[], destination?: LogDestination): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination ?? process.stdout);
  const hidden = secrets.flatMap(spellingsOf);
  const redact = (text: string): string =>
    hidden.reduce((result, secret) => result.replaceAll(secret, '[secret]'), text);
  return {
    request: (line) => {
      const safe = line.reason === undefined ? line : { ...line, reason: redact(line.reason) };
      logger[levelOf(line)](safe, 'request');
    },
    notice: (message) => logger.info(redact(message)),
    failure: (error) => logger.error({ reason: redact(String((error as Error)?.stack ?? error)) }, 'failure'),
  };
}
