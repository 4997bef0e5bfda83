import { sign } from 'node:crypto';
import { didOf, keyIdOf } from './did.ts';
import type { ReceiptKey } from './key.ts';

/** What a receipt says: who has paid for what, and when. The same facts have the same signature, as Ed25519 is deterministic. */
export interface ReceiptFacts {
  /** CAIP-2. */
  readonly network: string;
  readonly payer: string;
  /** The URL that was paid for; its origin is who signs. */
  readonly resourceUrl: string;
  /** base58 signature of what settled the payment; empty where nothing was sent to the chain. */
  readonly transaction: string;
  /** Seconds since the Unix epoch. */
  readonly issuedAt: number;
}

/** The name of x402's extension. */
export const OFFER_RECEIPT = 'offer-receipt';

const VERSION = 1;

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    receipt: {
      type: 'object',
      properties: { format: { type: 'string', const: 'jws' }, signature: { type: 'string' } },
      required: ['format', 'signature'],
    },
  },
  required: ['receipt'],
} as const;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The payload by the extension's section 5.2, in the canonical form of RFC 8785: the members stand in its order. */
const payloadOf = ({ issuedAt, network, payer, resourceUrl, transaction }: ReceiptFacts) => ({
  issuedAt,
  network,
  payer,
  resourceUrl,
  ...(transaction !== '' && { transaction }),
  version: VERSION,
});

/** A signed receipt: a JWS in compact form (RFC 7515), by EdDSA (RFC 8037). */
export function receiptFor(facts: ReceiptFacts, key: ReceiptKey): string {
  const header = { alg: 'EdDSA', kid: keyIdOf(didOf(facts.resourceUrl), key) };
  const input = `${encode(header)}.${encode(payloadOf(facts))}`;
  return `${input}.${sign(null, Buffer.from(input), key.privateKey).toString('base64url')}`;
}

/** The extensions of a SettleResponse that carry a receipt. */
export const receiptExtensions = (signature: string): Readonly<Record<string, unknown>> => ({
  [OFFER_RECEIPT]: { info: { receipt: { format: 'jws', signature } }, schema: SCHEMA },
});
