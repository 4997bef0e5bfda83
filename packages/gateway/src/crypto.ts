import {
  createHmac,
  createPublicKey,
  type JsonWebKey,
  randomFillSync,
  timingSafeEqual,
  verify as verifyWithOpenSsl,
} from 'node:crypto';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes base64 in the standard alphabet, padded or not. Returns undefined unless the spelling is canonical. */
export function decodeBase64(value: string): Uint8Array | undefined {
  if (value === '') return undefined;
  const bytes = Buffer.from(value, 'base64');
  // Node skips invalid characters when it decodes, so encode the bytes again and compare.
  const canonical = bytes.toString('base64');
  const [unpadded] = canonical.split('=');
  return value === canonical || value === unpadded ? bytes : undefined;
}

/** Decodes JSON in base64, as in x402's headers. Returns undefined for any other text. */
export function decodeJsonHeader(value: string): unknown {
  try {
    // Without bytes, the text is empty and so not JSON.
    return JSON.parse(utf8.decode(decodeBase64(value)));
  } catch {
    return undefined;
  }
}

/** The cryptographic primitives of the gates. */
export interface Crypto {
  /**
   * Verifies an Ed25519 signature strictly: refuses a key or R of small order or in non-canonical form, and an S beyond the group order.
   */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  /** Returns the HMAC-SHA-512 with a 32-byte key, cut to 32 bytes. */
  mac(key: Uint8Array, message: Uint8Array): Buffer;
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const POOL_BYTES = 4096;

/** Compares secrets in constant time. */
export const equalSecrets = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

const P = 2n ** 255n - 19n;
/** The y coordinates of the points of order 1, 2, 4 and 8, and their encodings beyond p. */
const SMALL_ORDER = new Set<bigint>([
  0n,
  1n,
  P - 1n,
  littleEndian(Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex')),
  littleEndian(Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex')),
]);

function isStrictPoint(encoded: Uint8Array): boolean {
  const y = littleEndian(encoded) & (2n ** 255n - 1n);
  return y < P && !SMALL_ORDER.has(y);
}

function verifyStrictly(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || publicKey.length !== KEY_BYTES) return false;
  if (!isStrictPoint(publicKey) || !isStrictPoint(signature.subarray(0, KEY_BYTES))) return false;
  const jwk: JsonWebKey = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
  return verifyWithOpenSsl(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

let pool = Buffer.alloc(0);
/** Draws random bytes from a pool, because a system call for every few bytes would dominate the cost. */
export function random(bytes: number): Buffer {
  if (pool.length < bytes) pool = randomFillSync(Buffer.alloc(POOL_BYTES));
  const drawn = pool.subarray(0, bytes);
  pool = pool.subarray(bytes);
  return drawn;
}

/**
 * Derives a 32-byte key for one purpose from each of the gateway's secrets, in order. `asset-gateway` precedes each purpose.
 *
 * | purpose | signs | which is valid for |
 * |---|---|---|
 * | `siwx` | nonces: of free calls by the store's epoch, of calls from credit by a lasting one | five minutes (`challengeMs`) |
 * | `memo` | origin and credit of a memo, which the chain shows | as long as the secret is listed, for `sales verify --repair` |
 * | `exact` | a memo's offer, request and time | five minutes |
 * | `ticket` | memos: proves that a client got the challenge | 16 minutes: the memo's five, one to settle, ten of an owed answer |
 * | `receipts` | receipts, without `RECEIPT_KEYPAIR` | as long as the secret is listed, because its key is published |
 * | `cache` | cached answers in Redis | until they are too old to serve |
 */
export const keysFor = (purpose: string, { mac }: Pick<Crypto, 'mac'>, secrets: readonly string[]): Buffer[] =>
  secrets.map((secret) => mac(Buffer.from(purpose.padEnd(KEY_BYTES)), Buffer.from(secret)));

/** Makes and verifies MACs of one length. The first key signs, and all keys verify. */
export class Macs {
  readonly #crypto: Pick<Crypto, 'mac'>;
  readonly #keys: readonly Uint8Array[];
  readonly #bytes: number;

  constructor(crypto: Pick<Crypto, 'mac'>, keys: readonly Uint8Array[], bytes: number) {
    this.#crypto = crypto;
    this.#keys = keys;
    this.#bytes = bytes;
  }

  sign(message: string): Buffer {
    const [key] = this.#keys;
    if (!key) throw new Error('no secret to sign with');
    return this.#mac(key, message);
  }

  verify(message: string, mac: Uint8Array): boolean {
    return this.#keys.some((key) => equalSecrets(this.#mac(key, message), mac));
  }

  #mac(key: Uint8Array, message: string): Buffer {
    return this.#crypto.mac(key, Buffer.from(message)).subarray(0, this.#bytes);
  }
}

/** Returns the time nearest to now, in seconds, that has this remainder when divided by `span`. */
export function nearestTime(remainder: number, span: number, nowMs: number): number {
  const nowSeconds = Math.floor(nowMs / 1000);
  const ahead = (((remainder - nowSeconds) % span) + span) % span;
  return nowSeconds + (ahead < span / 2 ? ahead : ahead - span);
}

/** The primitives of node:crypto. Our checks refuse keys and R of small order and beyond p, which OpenSSL's Ed25519 accepts. */
export const nodeCrypto: Crypto = {
  verify: verifyStrictly,
  mac: (key, message) => createHmac('sha512', key).update(message).digest().subarray(0, KEY_BYTES),
};
