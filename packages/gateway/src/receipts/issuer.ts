import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { pkcs8OfSeed } from '@asset-gateway/protocol';

const CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'];

/** The did:web of whoever serves this URL; the colon before a port is percent-encoded, as the method wants it. */
export const didOf = (url: string): string => `did:web:${encodeURIComponent(new URL(url).host)}`;

/** A key's name in that DID's document: the `kid` of what is signed with it. */
const keyIdOf = (did: string, { thumbprint }: Pick<ReceiptKey, 'thumbprint'>): string => `${did}#${thumbprint}`;

/** The DID document (W3C DID Core) of an origin: every key whose receipts are to be believed. */
export function didDocument(origin: string, keys: readonly ReceiptKey[]) {
  const did = didOf(origin);
  const verificationMethod = keys.map((key) => ({
    id: keyIdOf(did, key),
    type: 'JsonWebKey2020',
    controller: did,
    publicKeyJwk: key.publicJwk,
  }));
  return { '@context': CONTEXTS, id: did, verificationMethod, assertionMethod: verificationMethod.map(({ id }) => id) };
}

/** A public Ed25519 key as RFC 8037 writes it; its members stand in the order of RFC 7638. */
interface PublicJwk {
  readonly crv: 'Ed25519';
  readonly kty: 'OKP';
  readonly x: string;
}

/** A key that receipts are signed with. */
interface ReceiptKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
  /** Its SHA-256 thumbprint (RFC 7638): the same key has the same name wherever it is published. */
  readonly thumbprint: string;
}

/** The key of an Ed25519 seed of 32 bytes. */
function receiptKeyOf(seed: Uint8Array): ReceiptKey {
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8OfSeed(seed)), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const publicJwk = { crv: 'Ed25519', kty: 'OKP', x } as const;
  const thumbprint = createHash('sha256').update(JSON.stringify(publicJwk)).digest('base64url');
  return { privateKey, publicJwk, thumbprint };
}

/** What a receipt says: who has paid for what, and when. The same facts have the same signature, as Ed25519 is deterministic. */
interface ReceiptFacts {
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
const OFFER_RECEIPT = 'offer-receipt';

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
function receiptFor(facts: ReceiptFacts, key: ReceiptKey): string {
  const header = { alg: 'EdDSA', kid: keyIdOf(didOf(facts.resourceUrl), key) };
  const input = `${encode(header)}.${encode(payloadOf(facts))}`;
  return `${input}.${sign(null, Buffer.from(input), key.privateKey).toString('base64url')}`;
}

/** The extensions of a SettleResponse that carry a receipt. */
const receiptExtensions = (signature: string): Readonly<Record<string, unknown>> => ({
  [OFFER_RECEIPT]: { info: { receipt: { format: 'jws', signature } }, schema: SCHEMA },
});

/** What a receipt is issued for. */
interface Delivered extends Omit<ReceiptFacts, 'issuedAt'> {
  /** When it was paid for, in milliseconds; now, where that is not known. */
  readonly paidAtMs?: number | undefined;
}

/** Signs receipts for what this gateway delivers. */
export class ReceiptIssuer {
  readonly #keys: readonly ReceiptKey[];
  readonly #signing: ReceiptKey;
  readonly #nowMs: () => number;

  /** Ed25519 seeds of 32 bytes: the first signs, all are published. The clock says the time of day. */
  constructor(seeds: readonly Uint8Array[], nowMs: () => number) {
    this.#keys = seeds.map(receiptKeyOf);
    const [signing] = this.#keys;
    if (!signing) throw new Error('no key to sign receipts with');
    this.#signing = signing;
    this.#nowMs = nowMs;
  }

  /** What a SettleResponse of success carries beside what it says. */
  extensionsFor(delivered: Delivered): Readonly<Record<string, unknown>> {
    const issuedAt = Math.floor((delivered.paidAtMs ?? this.#nowMs()) / 1000);
    return receiptExtensions(receiptFor({ ...delivered, issuedAt }, this.#signing));
  }

  /** Where verifiers look the keys up, as JSON. */
  didDocument(origin: string): string {
    return JSON.stringify(didDocument(origin, this.#keys));
  }
}
