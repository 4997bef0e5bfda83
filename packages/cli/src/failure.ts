import { GatewayError } from '@asset-gateway/client';
import { calledAs } from './config.ts';

/** Thrown for an unusable command line. The message says what to type. */
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
  insufficientFunds: 7,
  tryLater: 75,
} as const;

const LATER = [408, 429, 502, 503, 504];
/** The statuses of an invalid input. */
const INVALID = [400, 413, 414, 415, 422];

const BY_ERROR_CODE: ReadonlyMap<string, number> = new Map([
  ['spending_limit', EXIT.spendingLimit],
  ['insufficient_funds', EXIT.insufficientFunds],
  ['invalid_request', EXIT.invalidInput],
  ['payment_unknown', EXIT.paymentUnknown],
  ['payment_refused', EXIT.paymentRefused],
  ['timeout', EXIT.tryLater],
]);

/** Returns the exit code for a gateway's answer, by its status if there is one. */
export function exitCodeOf(status = 0): number {
  if (status >= 200 && status < 300) return EXIT.ok;
  if (INVALID.includes(status)) return EXIT.invalidInput;
  return LATER.includes(status) ? EXIT.tryLater : EXIT.refused;
}

/** Returns the exit code for an error. */
export function exitCodeFor(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (!(error instanceof GatewayError)) return EXIT.refused;
  return BY_ERROR_CODE.get(error.code) ?? exitCodeOf(error.status);
}

/** The cause of a failed fetch. */
interface Cause {
  readonly code?: string;
  readonly message?: string;
  readonly port?: number;
  /** The causes by address, if the host name has several addresses. */
  readonly errors?: readonly Cause[];
}

/** The servers of a call. */
export interface Servers {
  readonly gateway: string;
  /** The Solana RPC for payments, if any. */
  readonly rpc: string | undefined;
}

/** How to get the answer that an open payment bought. */
export const RESEND_HINT = 'run the same command again, or resume: both send the same payment';

/** Advice after a payment that bought nothing. */
export const UNUSED_HINT = `the payment was not used; ${RESEND_HINT}`;

const SHORTEST_SECRET = 4;

/** Returns the text without the parts of the RPC's URL after its host, which may be secret. */
function withoutSecrets(text: string, rpc: string | undefined): string {
  if (rpc === undefined || !URL.canParse(rpc)) return text;
  const { href, origin, pathname, search, searchParams } = new URL(rpc);
  const candidates = [pathname + search, search.slice(1), pathname, ...searchParams.values(), ...pathname.split('/')];
  const secrets = candidates.filter(({ length }) => length >= SHORTEST_SECRET);
  return [href, rpc].reduce(
    (shown, url) => shown.replaceAll(url, origin),
    secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), text),
  );
}

/** Returns the cause of a failed fetch, if the error is one. */
function fetchCauseOf(error: unknown): Cause | undefined {
  const { message, cause } = (error ?? {}) as { readonly message?: unknown; readonly cause?: Cause };
  return message === 'fetch failed' ? cause : undefined;
}

/** Returns a sentence about an unreachable Solana RPC. */
function rpcSentence(cause: Cause): string {
  const port = cause.port ?? cause.errors?.[0]?.port;
  if (port !== undefined) return `nothing answers on port ${port}; give --rpc another URL`;
  return `the Solana RPC cannot be reached (${cause.code ?? cause.message}); give --rpc another URL`;
}

/** Returns a sentence about an unreachable gateway. */
function gatewaySentence({ code, message }: Cause, gateway: string): string {
  const { origin, hostname } = new URL(gateway);
  if (code === 'ECONNREFUSED') return `nothing listens on ${origin}; run npm start first, or set ASSET_GATEWAY_URL`;
  if (code === 'ENOTFOUND') return `there is no host ${hostname}; set ASSET_GATEWAY_URL`;
  return `${origin} cannot be reached (${code ?? message}); set ASSET_GATEWAY_URL to a gateway`;
}

/** The client's names of options, and their names here. */
const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/raise timeoutMs$/, 'raise --timeout'],
  [/redirects; check baseUrl$/, "redirects; set ASSET_GATEWAY_URL to the redirect's target"],
  [/check baseUrl$/, 'check --gateway'],
  [/check rpcUrl and the wallet/, 'check --rpc and --keypair'],
  [/ a call; nothing was signed$/, ' a call (--max-call); nothing was signed'],
];

/** Returns a client's message in the words and units of this program's options. */
function inOwnWords(message: string): string {
  const { command } = calledAs();
  const own = OPTIONS.reduce((text, [pattern, option]) => text.replace(pattern, option), message);
  return own
    .replace(/^no answer within ([0-9]{1,9}) ms;/, (_, ms: string) => `no answer within ${Number(ms) / 1000} s;`)
    .replace('(in the sandbox, ask its faucet)', `(in the sandbox: ${command} wallet fund)`);
}

function sentenceOf(error: Error, gateway: string): string {
  const message =
    error instanceof GatewayError && error.status === undefined ? inOwnWords(error.message) : error.message;
  if (!(error instanceof GatewayError)) return message;
  const { code, cause } = error;
  const fetchCause = fetchCauseOf(cause);
  if (code === 'unreachable' && fetchCause) return gatewaySentence(fetchCause, gateway);
  if (code !== 'payment_not_made' || !(cause instanceof Error)) return message;
  return fetchCause ? rpcSentence(fetchCause) : `${message}: ${cause.message}`;
}

/** Returns a sentence that says what to change. */
export const failureSentence = (error: unknown, { gateway, rpc }: Servers): string =>
  withoutSecrets(sentenceOf(error as Error, gateway), rpc);
