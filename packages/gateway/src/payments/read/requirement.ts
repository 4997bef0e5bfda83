import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { HEADERS } from '@asset-gateway/protocol';
import type { Call, Trail } from '../../call.ts';
import { type Crypto, keysFor, Macs, random } from '../../gates/crypto.ts';
import { challengedUrl, type OriginOf } from '../../gates/gate.ts';
import type { PaidCall, ReceiptIssuer } from '../../receipts/response.ts';

/** The transfer that a purchase requires; the same for every payer. */
export interface Offer {
  /** CAIP-2. */
  readonly network: string;
  /** The mint of USDC there. */
  readonly asset: string;
  /** The wallet that is paid. */
  readonly payTo: string;
  /** Its token account, the only accepted destination. */
  readonly destination: string;
  /** Atomic units, decimal digits. */
  readonly amount: string;
  readonly feePayer: string;
}

/** x402's PaymentRequirements of the scheme `exact` on Solana. */
export interface PaymentRequirements {
  readonly scheme: 'exact';
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly feePayer: string; readonly memo?: string; readonly ticket?: string };
}

/** x402's time limit from the challenge to the payment. */
const MAX_TIMEOUT_SECONDS = 60;

/** The requirement of an offer. Challenges contain the ticket; a requirement rebuilt from a payment does not. */
export function requirementOf(offer: Offer, memo: string | undefined, ticket?: string): PaymentRequirements {
  const { network, amount, asset, payTo, feePayer } = offer;
  const extra = { feePayer, ...(memo !== undefined && { memo }), ...(ticket !== undefined && { ticket }) };
  return { scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds: MAX_TIMEOUT_SECONDS, extra };
}

/** Whether a client's copy equals the requirement. Clients may add members to `extra`, but nowhere else. */
export function isSameRequirement(accepted: unknown, requirement: PaymentRequirements): boolean {
  if (typeof accepted !== 'object' || accepted === null) return false;
  const { extra: ourExtra, ...core } = requirement;
  const { extra: theirExtra, ...theirs } = accepted as Record<string, unknown>;
  if (!isDeepStrictEqual(theirs, core) || typeof theirExtra !== 'object' || theirExtra === null) return false;
  return Object.entries(ourExtra).every(([name, value]) => Reflect.get(theirExtra, name) === value);
}

/** The hash that binds a payment to a request: route, path parameters, sorted query, exact body. */
export function requestHashOf({ route, parameters, query, inbound }: Call): string {
  const pairs = query ? query.split('&').sort() : [];
  const path = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  const body = route.httpMethod === 'POST' ? hash('sha256', inbound.body) : '';
  return hash('sha256', JSON.stringify([route.id, path, pairs, body]));
}

/** What a paid call is read with. */
export interface CallDependencies {
  readonly originOf: OriginOf;
  /** Undefined if receipts are not signed. */
  readonly receipts: ReceiptIssuer | undefined;
  readonly randomId: () => string;
}

/** The paid request of a call. A receipt names the same URL as the challenge. */
export const paidCallOf = ({ originOf, receipts, randomId }: CallDependencies, call: Call, trail: Trail): PaidCall => ({
  inVersion1Header: call.inbound.headers[HEADERS.version1Payment.toLowerCase()] !== undefined,
  receipts,
  request: {
    requestHash: requestHashOf(call),
    owner: randomId(),
    route: call.route.id,
    requestId: trail.requestId,
    ...(receipts && { resourceUrl: challengedUrl(call, originOf(call.inbound)) }),
  },
});

/** The key of a payment: its network and the hash of its message, whatever its encoding. */
export const paymentKeyOf = (network: string, message: Uint8Array): string => `${network}:${hash('sha256', message)}`;

/** The members of an offer that a memo is bound to. */
const BOUND = ['network', 'asset', 'payTo', 'amount', 'feePayer'] as const;
type MemoOffer = Pick<Offer, (typeof BOUND)[number]>;

const TIME_BYTES = 4;
const RANDOM_BYTES = 8;
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES;
const MAC_BYTES = 12;
const TICKET_BYTES = 12;
/** In base64url. */
const TICKET_LENGTH = 16;
const FORMAT = /^[A-Za-z0-9_-]{32}$/;
/** Memos that stock clients make up if they copy none. */
const MADE_UP = /^[0-9a-f]{32}$/;

/** When a memo was issued, in milliseconds. */
export const issuedAtMs = (memo: string): number => Buffer.from(memo, 'base64url').readUInt32BE(0) * 1000;

/** Whether a text has the format of an issued memo. */
export const looksIssued = (memo: string): boolean => FORMAT.test(memo) && !MADE_UP.test(memo);

/**
 * Memos bind a payment to one request at one price: 4 bytes of issue time, 8 random bytes and 12 bytes of a MAC over the offer and
 * the request, in base64url. The client copies the memo into the transaction, so challenges need no storage, and no two purchases
 * are the same transaction.
 */
export class Memos {
  readonly #memos: Macs;
  readonly #tickets: Macs;

  /** The first secret signs, all verify. */
  constructor(crypto: Crypto, secrets: readonly string[]) {
    this.#memos = new Macs(crypto, keysFor('asset-gateway exact', crypto, secrets), MAC_BYTES);
    this.#tickets = new Macs(crypto, keysFor('asset-gateway ticket', crypto, secrets), TICKET_BYTES);
  }

  issue(offer: MemoOffer, requestHash: string, nowMs: number): string {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(Math.floor(nowMs / 1000), 0);
    head.set(random(RANDOM_BYTES), TIME_BYTES);
    return Buffer.concat([head, this.#memos.sign(boundTo(head, offer, requestHash))]).toString('base64url');
  }

  /** When this memo was issued, in seconds; undefined unless it was issued for this offer and request. */
  read(memo: string, offer: MemoOffer, requestHash: string): number | undefined {
    if (!FORMAT.test(memo)) return undefined;
    const bytes = Buffer.from(memo, 'base64url');
    const head = bytes.subarray(0, HEAD_BYTES);
    const isGenuine = this.#memos.verify(boundTo(head, offer, requestHash), bytes.subarray(HEAD_BYTES));
    return isGenuine ? head.readUInt32BE(0) : undefined;
  }

  /** The ticket of a memo, which only the client of the challenge gets. Memos are public on the chain; tickets are not. */
  ticketOf(memo: string): string {
    return this.#tickets.sign(memo).toString('base64url');
  }

  isTicketOf(memo: string, ticket: unknown): boolean {
    if (typeof ticket !== 'string' || ticket.length !== TICKET_LENGTH) return false;
    return this.#tickets.verify(memo, Buffer.from(ticket, 'base64url'));
  }
}

/** The text that a memo's MAC covers. */
const boundTo = (head: Buffer, offer: MemoOffer, requestHash: string): string =>
  JSON.stringify(['exact1', head.toString('hex'), ...BOUND.map((name) => offer[name]), requestHash]);
