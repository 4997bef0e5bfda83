import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { clusterOfNetwork, HEADERS, pkcs8OfSeed, VERSION_1_NAMES } from '@asset-gateway/protocol';
import type { PaidRequest } from './paid-answers.ts';

/** x402's SettleResponse. */
interface SettleResponse {
  readonly success: boolean;
  /** The base58 signature; empty if nothing was sent to the chain. */
  readonly transaction: string;
  /** The network, as a CAIP-2 id except in version 1. */
  readonly network: string;
  readonly payer: string;
  /** The amount in atomic units, if it is not the required one: 0 for a payment that credit has covered. */
  readonly amount?: string;
  readonly errorReason?: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** A paid request, with what else its response depends on besides the payment. */
export interface PaidCall {
  readonly request: PaidRequest;
  readonly inVersion1Header: boolean;
  /** The signer of receipts; undefined if receipts are not signed. */
  readonly receipts: ReceiptIssuer | undefined;
}

/** A payment that has settled. All answers to one payment carry the same receipt. */
interface SettledPayment extends Pick<SettleResponse, 'transaction' | 'network' | 'payer' | 'amount'> {
  /** The URL that was paid for, whose origin is the issuer; absent unless receipts are signed. */
  readonly resourceUrl?: string | undefined;
  /** When it was paid, in milliseconds of the books' clock; default: now. */
  readonly paidAtMs?: number | undefined;
}

const encode = (response: SettleResponse): string => Buffer.from(JSON.stringify(response)).toString('base64');

/**
 * Returns the headers that carry a SettleResponse. If the payment came in version 1's header, they include that version's response header.
 */
export function paymentResponse(response: SettleResponse, inVersion1Header: boolean): Record<string, string> {
  const version1 = { ...response, network: VERSION_1_NAMES[clusterOfNetwork(response.network)] };
  return {
    [HEADERS.paymentResponse]: encode(response),
    ...(inVersion1Header && { [HEADERS.version1PaymentResponse]: encode(version1) }),
  };
}

/** Returns the headers of an answer that was paid for, with its receipt if receipts are signed. */
export function settledResponse(settled: SettledPayment, call: PaidCall): Record<string, string> {
  const { resourceUrl = call.request.resourceUrl ?? '', paidAtMs, ...response } = settled;
  const extensions = call.receipts?.extensionsFor({ ...response, resourceUrl, paidAtMs });
  return paymentResponse({ success: true, ...response, ...(extensions && { extensions }) }, call.inVersion1Header);
}

function receiptKeyOf(seed: Uint8Array) {
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8OfSeed(seed)), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  // The key is a JWK of RFC 8037, with its members in the order of RFC 7638.
  const publicJwk = { crv: 'Ed25519', kty: 'OKP', x } as const;
  // The thumbprint of RFC 7638 names the key in the same way wherever it is published.
  const thumbprint = createHash('sha256').update(JSON.stringify(publicJwk)).digest('base64url');
  return { privateKey, publicJwk, thumbprint };
}

type ReceiptKey = ReturnType<typeof receiptKeyOf>;

const DID_CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'];
const RECEIPT_VERSION = 1;

const RECEIPT_SCHEMA = {
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

/** Returns the did:web of a URL's host. The method requires that the colon before a port is percent-encoded. */
const didOf = (url: string): string => `did:web:${encodeURIComponent(new URL(url).host)}`;

/** Returns the id of a key in a DID document, which is the `kid` of its signatures. */
const keyIdOf = (did: string, { thumbprint }: ReceiptKey): string => `${did}#${thumbprint}`;

const inBase64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Signs receipts of x402's extension `offer-receipt`: a JWS (RFC 7515) with EdDSA, so the same facts give the same receipt. `jose` would
 * replace only a few lines that join two encoded parts and a signature, and it signs asynchronously.
 */
export class ReceiptIssuer {
  readonly #keys: readonly ReceiptKey[];
  readonly #signing: ReceiptKey;
  readonly #wallAt: (booksMs?: number) => number;

  /**
   * `seeds`: Ed25519 seeds of 32 bytes. The first one signs; the keys of all are published. `wallAt`: returns the wall time of a moment of
   * the books' clock, or of now.
   */
  constructor(seeds: readonly Uint8Array[], wallAt: (booksMs?: number) => number) {
    this.#keys = seeds.map(receiptKeyOf);
    const [signing] = this.#keys;
    if (!signing) throw new Error('no key to sign receipts with');
    this.#signing = signing;
    this.#wallAt = wallAt;
  }

  /**
   * Returns the extensions of a successful SettleResponse. The payload has the canonical form (RFC 8785) of the extension's section 5.2.
   */
  extensionsFor(settled: SettledPayment & { readonly resourceUrl: string }): Readonly<Record<string, unknown>> {
    const { network, payer, resourceUrl, transaction, paidAtMs } = settled;
    const issuedAt = Math.floor(this.#wallAt(paidAtMs) / 1000);
    const settlement = transaction === '' ? {} : { transaction };
    const payload = { issuedAt, network, payer, resourceUrl, ...settlement, version: RECEIPT_VERSION };
    const header = { alg: 'EdDSA', kid: keyIdOf(didOf(resourceUrl), this.#signing) };
    const input = `${inBase64Url(header)}.${inBase64Url(payload)}`;
    const signature = `${input}.${sign(null, Buffer.from(input), this.#signing.privateKey).toString('base64url')}`;
    return { 'offer-receipt': { info: { receipt: { format: 'jws', signature } }, schema: RECEIPT_SCHEMA } };
  }

  /** Returns the DID document (W3C DID Core) of an origin as JSON, with every key that verifiers must accept. */
  didDocument(origin: string): string {
    const id = didOf(origin);
    const verificationMethod = this.#keys.map((key) => ({
      id: keyIdOf(id, key),
      type: 'JsonWebKey2020',
      controller: id,
      publicKeyJwk: key.publicJwk,
    }));
    const assertionMethod = verificationMethod.map((method) => method.id);
    return JSON.stringify({ '@context': DID_CONTEXTS, id, verificationMethod, assertionMethod });
  }
}
