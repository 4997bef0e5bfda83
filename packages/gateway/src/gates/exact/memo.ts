import { type Crypto, equalSecrets } from '../crypto.ts';
import type { Terms } from './terms.ts';

const TIME_BYTES = 4;
const RANDOM_BYTES = 8;
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES;
const MAC_BYTES = 12;
const FORMAT = /^[A-Za-z0-9_-]{32}$/;

const utf8 = new TextEncoder();

/**
 * Memos that bind a payment to one request at one price: 4 bytes of the issue time, 8 random ones and 12 of a MAC over
 * the terms and the request, in base64url. A client copies the memo into the transaction, from where it is read back, so
 * nothing is remembered per challenge, and no two purchases are ever the same transaction.
 */
export class Memos {
  readonly #crypto: Crypto;
  readonly #keys: readonly Uint8Array[];

  /** The first secret signs, all verify. */
  constructor(crypto: Crypto, secrets: readonly string[]) {
    this.#crypto = crypto;
    const salt = utf8.encode('asset-gateway exact'.padEnd(32));
    this.#keys = secrets.map((secret) => crypto.mac(salt, utf8.encode(secret)));
  }

  issue(terms: Terms, requestHash: string, nowMs: number): string {
    const [key] = this.#keys;
    if (!key) throw new Error('no secret to sign memos with');
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(Math.floor(nowMs / 1000), 0);
    head.set(this.#crypto.random(RANDOM_BYTES), TIME_BYTES);
    return Buffer.concat([head, this.#mac(key, head, terms, requestHash)]).toString('base64url');
  }

  /** When this memo was issued, in seconds; nothing when it was not issued for these terms and this request. */
  read(memo: string, terms: Terms, requestHash: string): number | undefined {
    if (!FORMAT.test(memo)) return undefined;
    const bytes = Buffer.from(memo, 'base64url');
    const head = bytes.subarray(0, HEAD_BYTES);
    const mac = bytes.subarray(HEAD_BYTES);
    const genuine = this.#keys.some((key) => equalSecrets(this.#mac(key, head, terms, requestHash), mac));
    return genuine ? head.readUInt32BE(0) : undefined;
  }

  #mac(key: Uint8Array, head: Buffer, terms: Terms, requestHash: string): Uint8Array {
    const { network, asset, payTo, amount, feePayer } = terms;
    const bound = JSON.stringify([
      'exact1',
      head.toString('hex'),
      network,
      asset,
      payTo,
      amount,
      feePayer,
      requestHash,
    ]);
    return this.#crypto.mac(key, utf8.encode(bound)).subarray(0, MAC_BYTES);
  }
}
