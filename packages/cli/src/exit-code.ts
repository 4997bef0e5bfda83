import { GatewayError } from '@asset-gateway/client';

/** A command line that cannot be understood. The message says what to type. */
export class UsageError extends Error {}

/** The exit codes. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  spendingLimit: 3,
  invalidInput: 4,
  paymentUnknown: 5,
  paymentRefused: 6,
  tryLater: 75,
} as const;

const LATER = [408, 429, 502, 503, 504];
/** The input is invalid. */
const INVALID = [400, 413, 414, 415, 422];

const BY_ERROR_CODE: ReadonlyMap<string, number> = new Map([
  ['spending_limit', EXIT.spendingLimit],
  ['invalid_request', EXIT.invalidInput],
  ['payment_unknown', EXIT.paymentUnknown],
  ['payment_refused', EXIT.paymentRefused],
  ['timeout', EXIT.tryLater],
]);

/** The exit code for an answer of a gateway. */
export function exitCodeOf(status: number): number {
  if (status >= 200 && status < 300) return EXIT.ok;
  if (INVALID.includes(status)) return EXIT.invalidInput;
  return LATER.includes(status) ? EXIT.tryLater : EXIT.refused;
}

/** The exit code for an error. */
export function exitCodeFor(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (!(error instanceof GatewayError)) return EXIT.refused;
  const own = BY_ERROR_CODE.get(error.code);
  if (own !== undefined) return own;
  return error.status === undefined ? EXIT.refused : exitCodeOf(error.status);
}
