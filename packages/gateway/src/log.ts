import { pino } from 'pino';
import type { LogLine } from './stages/trail.ts';

/** Takes whole lines. */
export interface LogDestination {
  write(line: string): void;
}

/** Writes what happened: one JSON object a line. */
export interface Log {
  readonly request: (line: LogLine) => void;
  readonly notice: (message: string) => void;
}

const levelOf = ({ status, error }: LogLine): 'info' | 'warn' | 'error' => {
  if (error === 'internal_error' || error === 'upstream_auth_failed') return 'error';
  return status >= 500 ? 'warn' : 'info';
};

/** A shorter one would black out innocent text, and hides nothing. */
const MIN_HIDDEN_LENGTH = 8;

/** A secret as it could show up in an error's text. */
const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('hex'),
];

/** The log of a gateway that holds these secrets: none of them gets into a line, whatever an error's text says. */
export function createLog(level: string, secrets: readonly string[], destination?: LogDestination): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination ?? process.stdout);
  const hidden = secrets.filter((secret) => secret.length >= MIN_HIDDEN_LENGTH).flatMap(spellings);
  const redact = (text: string): string =>
    hidden.reduce((result, secret) => result.replaceAll(secret, '[secret]'), text);
  return {
    request: (line) => {
      const safe = line.reason === undefined ? line : { ...line, reason: redact(line.reason) };
      logger[levelOf(line)](safe, 'request');
    },
    notice: (message) => logger.info(redact(message)),
  };
}
