import {
  createHmac,
  createPublicKey,
  type JsonWebKey,
  randomFillSync,
  timingSafeEqual,
  verify as verifyWithOpenSsl,
} from 'node:crypto';
import { createRequire } from 'node:module';

/** The cryptographic primitives of the gates. */
export interface Crypto {
  /** Strict Ed25519: no small-order or non-canonical key or R, no S beyond the group order. */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  /** HMAC-SHA-512 of the message under a key of 32 bytes, cut to 32 bytes. */
  mac(key: Uint8Array, message: Uint8Array): Buffer;
  random(bytes: number): Buffer;
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
  if (!isStrictPoint(publicKey) || !isStrictPoint(signature.subarray(0, KEY_BYTES))) return false;
  const jwk: JsonWebKey = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
  return verifyWithOpenSsl(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

/** Draws random bytes from a pool: a system call for every few bytes would dominate the cost. */
function pooledRandom(fill: (pool: Buffer) => void): Crypto['random'] {
  let pool = Buffer.alloc(0);
  return (bytes) => {
    if (pool.length < bytes) {
      pool = Buffer.alloc(POOL_BYTES);
      fill(pool);
    }
    const drawn = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return drawn;
  };
}

const rightSizes = (signature: Uint8Array, publicKey: Uint8Array): boolean =>
  signature.length === SIGNATURE_BYTES && publicKey.length === KEY_BYTES;

/** Derives a 32-byte key for one purpose from each of the gateway's secrets, in order. */
export const keysFor = (purpose: string, { mac }: Pick<Crypto, 'mac'>, secrets: readonly string[]): Buffer[] =>
  secrets.map((secret) => mac(Buffer.from(purpose.padEnd(KEY_BYTES)), Buffer.from(secret)));

/** The primitives by node:crypto, with checks that make its Ed25519 strict. */
export const nodeCrypto: Crypto = {
  verify: (signature, message, key) => rightSizes(signature, key) && verifyStrictly(signature, message, key),
  mac: (key, message) => createHmac('sha512', key).update(message).digest().subarray(0, KEY_BYTES),
  random: pooledRandom((pool) => randomFillSync(pool)),
};

/** An import would first search the module for its exports, which takes longer than all the rest. */
const require = createRequire(import.meta.url);

function sodiumHere(): typeof import('sodium-native').default | undefined {
  try {
    return require('sodium-native');
  } catch {
    return undefined;
  }
}

/** The primitives by libsodium, whose Ed25519 is strict and twice as fast; undefined if its build does not load. */
export function loadSodium(): Crypto | undefined {
  const sodium = sodiumHere();
  if (!sodium) return undefined;
  return {
    verify: (signature, message, key) =>
      rightSizes(signature, key) && sodium.crypto_sign_verify_detached(signature, message, key),
    mac: (key, message) => {
      const output = Buffer.alloc(KEY_BYTES);
      sodium.crypto_auth(output, message, key);
      return output;
    },
    random: pooledRandom((pool) => sodium.randombytes_buf(pool)),
  };
}
