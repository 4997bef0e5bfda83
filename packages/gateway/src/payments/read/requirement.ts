import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { HEADERS } from '@asset-gateway/protocol';
import type { Call, RequestFacts } from '../../call.ts';
import { type Crypto, keysFor, Macs, nearestTime, random } from '../../crypto.ts';
import { challengedUrl, type OriginOf } from '../../origin.ts';
import type { PaidCall, ReceiptIssuer } from '../../receipts/response.ts';
import { TIMES } from '../../times.ts';

/** The transfer that a purchase requires. It is the same for every payer. */
export interface Offer {
  /** CAIP-2. */
  readonly network: string;
  /** The mint of USDC there. */
  readonly asset: string;
  /** The wallet that is paid. */
  readonly payTo: string;
  /** The token account of `payTo`, which is the only accepted destination. */
  readonly destination: string;
  /** The amount in atomic units, as decimal digits. */
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

/** Returns the requirement of an offer. A challenge's requirement contains the ticket; one that is rebuilt from a payment does not. */
export function requirementOf(offer: Offer, memo: string | undefined, ticket?: string): PaymentRequirements {
  const { network, amount, asset, payTo, feePayer } = offer;
  const extra = { feePayer, ...(memo !== undefined && { memo }), ...(ticket !== undefined && { ticket }) };
  return { scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds: TIMES.blockhashMs / 1000, extra };
}

/** Whether a client's copy equals the requirement. Clients may add members to `extra`, but nowhere else. */
export function isSameRequirement(accepted: unknown, requirement: PaymentRequirements): boolean {
  if (typeof accepted !== 'object' || accepted === null) return false;
  const { extra: ourExtra, ...core } = requirement;
  const { extra: theirExtra, ...theirs } = accepted as Record<string, unknown>;
  if (!isDeepStrictEqual(theirs, core) || typeof theirExtra !== 'object' || theirExtra === null) return false;
  return Object.entries(ourExtra).every(([name, value]) => Reflect.get(theirExtra, name) === value);
}

/** Returns the hash that binds a payment to a request. It covers the route, the path parameters, the sorted query and the exact body. */
export function requestHashOf({ route, parameters, query, inbound }: Call): string {
  const pairs = query ? query.split('&').sort() : [];
  const path = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  const body = route.httpMethod === 'GET' ? '' : hash('sha256', inbound.body);
  return hash('sha256', JSON.stringify([route.id, path, pairs, body]));
}

/** The dependencies of reading a paid call. */
export interface CallDependencies {
  readonly originOf: OriginOf;
  /** The signer of receipts; undefined if receipts are not signed. */
  readonly receipts: ReceiptIssuer | undefined;
  readonly randomId: () => string;
}

/** Returns the paid request of a call. Its receipt names the same URL as its challenge. */
export const paidCallOf = (
  { originOf, receipts, randomId }: CallDependencies,
  call: Call,
  facts: RequestFacts,
): PaidCall => ({
  inVersion1Header: call.inbound.headers[HEADERS.version1Payment.toLowerCase()] !== undefined,
  receipts,
  request: {
    requestHash: requestHashOf(call),
    mayHaveEffect: call.route.upstream.mayHaveEffect === true,
    owner: randomId(),
    route: call.route.id,
    requestId: facts.requestId,
    ...(receipts && { resourceUrl: challengedUrl(call, originOf(call.inbound)) }),
  },
});

/** Returns the key of a payment: its network and the hash of its message. The key does not depend on the transaction's encoding. */
export const paymentKeyOf = (network: string, message: Uint8Array): string => `${network}:${hash('sha256', message)}`;

/** The members of an offer that the first MAC of a memo covers. All are on the chain, so this MAC can be checked without the request. */
const SHOWN = ['network', 'asset', 'payTo', 'amount'] as const;
type ShownOffer = Pick<Offer, (typeof SHOWN)[number]>;
type MemoOffer = ShownOffer & Pick<Offer, 'feePayer'>;

const TIME_BYTES = 2;
const RANDOM_BYTES = 4;
const PRICE_BYTES = 3;
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES + PRICE_BYTES;
const ORIGIN_BYTES = 8;
const BINDING_BYTES = 7;
const TICKET_BYTES = 12;
/** The number of characters of a ticket, in base64url. */
const TICKET_LENGTH = 16;
const FORMAT = /^[A-Za-z0-9_-]{32}$/;
/** The form of the memos that stock clients make up if they copy none. */
const MADE_UP = /^[0-9a-f]{32}$/;

const SPAN_SECONDS = 2 ** (8 * TIME_BYTES);
/** The value of a memo's price field if nothing becomes credit: the largest one. */
const NO_CREDIT = 2 ** (8 * PRICE_BYTES) - 1;

/** A bundle can be offered beside a call only below this price, in millionths of a dollar, because a memo holds no higher one. */
export const MOST_BUNDLED_MICROS = NO_CREDIT;

/** Whether a text has the format of an issued memo. */
export const looksIssued = (memo: string): boolean => FORMAT.test(memo) && !MADE_UP.test(memo);

/** The content of a memo. */
interface MemoContent {
  /** The time of issue, in Unix seconds. */
  readonly issuedAt: number;
  /** The part of the amount that becomes credit, in millionths of a dollar. */
  readonly creditMicros: number;
}

/**
 * Makes and reads memos. A memo binds a payment to one request at one price. The client copies it into the transaction, so challenges need
 * no storage. Its 24 bytes, in base64url:
 *
 * | bytes | content |
 * |---|---|
 * | 2 | the low bytes of the issue time in seconds |
 * | 4 | random |
 * | 3 | the price of the call in millionths of a dollar; the rest of the amount becomes credit |
 * | 8 | a MAC over the bytes above and the transfer; it proves the memo's origin from the chain alone while `GATEWAY_SECRET` lists its secret |
 * | 7 | a MAC over the bytes above, the whole offer, the request and the full issue time |
 */
export class Memos {
  readonly #origins: Macs;
  readonly #bindings: Macs;
  readonly #tickets: Macs;

  /** The first secret signs. All secrets verify. */
  constructor(crypto: Crypto, secrets: readonly string[]) {
    const macs = (purpose: string, bytes: number) =>
      new Macs(crypto, keysFor(`asset-gateway ${purpose}`, crypto, secrets), bytes);
    this.#origins = macs('memo', ORIGIN_BYTES);
    this.#bindings = macs('exact', BINDING_BYTES);
    this.#tickets = macs('ticket', TICKET_BYTES);
  }

  /** Returns a new memo. `creditMicros`: the part of the amount that becomes credit, in millionths of a dollar. */
  issue(offer: MemoOffer, requestHash: string, nowMs: number, creditMicros = 0): string {
    const issuedAt = Math.floor(nowMs / 1000);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUIntBE(issuedAt % SPAN_SECONDS, 0, TIME_BYTES);
    head.set(random(RANDOM_BYTES), TIME_BYTES);
    const price = creditMicros === 0 ? NO_CREDIT : Number(offer.amount) - creditMicros;
    head.writeUIntBE(price, HEAD_BYTES - PRICE_BYTES, PRICE_BYTES);
    const proven = Buffer.concat([head, this.#origins.sign(shownText(head, offer))]);
    return Buffer.concat([proven, this.#bindings.sign(boundText(proven, offer, requestHash, issuedAt))]).toString(
      'base64url',
    );
  }

  /** Returns the content of a memo; undefined unless it was issued for this offer and request within hours of now. */
  read(memo: string, offer: MemoOffer, requestHash: string, nowMs: number): MemoContent | undefined {
    const creditMicros = this.provenCredit(memo, offer);
    if (creditMicros === undefined) return undefined;
    const bytes = Buffer.from(memo, 'base64url');
    const issuedAt = nearestTime(bytes.readUIntBE(0, TIME_BYTES), SPAN_SECONDS, nowMs);
    const proven = bytes.subarray(0, -BINDING_BYTES);
    const binding = bytes.subarray(-BINDING_BYTES);
    const isGenuine = this.#bindings.verify(boundText(proven, offer, requestHash, issuedAt), binding);
    return isGenuine ? { issuedAt, creditMicros } : undefined;
  }

  /**
   * Returns how many millionths of a dollar of a transfer become credit; undefined unless one of the secrets has issued this memo for such
   * a transfer.
   */
  provenCredit(memo: string, offer: ShownOffer): number | undefined {
    if (!FORMAT.test(memo)) return undefined;
    const bytes = Buffer.from(memo, 'base64url');
    const head = bytes.subarray(0, HEAD_BYTES);
    const origin = bytes.subarray(HEAD_BYTES, -BINDING_BYTES);
    if (!this.#origins.verify(shownText(head, offer), origin)) return undefined;
    const price = head.readUIntBE(HEAD_BYTES - PRICE_BYTES, PRICE_BYTES);
    return price === NO_CREDIT ? 0 : Number(offer.amount) - price;
  }

  /** Returns the ticket of a memo, which only the client of the challenge gets. Memos are public on the chain; tickets are not. */
  ticketOf(memo: string): string {
    return this.#tickets.sign(memo).toString('base64url');
  }

  isTicketOf(memo: string, ticket: unknown): boolean {
    if (typeof ticket !== 'string' || ticket.length !== TICKET_LENGTH) return false;
    return this.#tickets.verify(memo, Buffer.from(ticket, 'base64url'));
  }
}

const shownText = (head: Buffer, offer: ShownOffer): string =>
  JSON.stringify(['memo2', head.toString('hex'), ...SHOWN.map((name) => offer[name])]);

const boundText = (proven: Buffer, offer: MemoOffer, requestHash: string, issuedAt: number): string =>
  JSON.stringify([
    'exact2',
    proven.toString('hex'),
    ...SHOWN.map((name) => offer[name]),
    offer.feePayer,
    requestHash,
    issuedAt,
  ]);
