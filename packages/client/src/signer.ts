import { pkcs8OfSeed } from '@asset-gateway/protocol';
import { base58 } from './base58.ts';

/** A Solana wallet, as far as a sign-in needs one. */
export interface Signer {
  /** base58 of the 32-byte public key. */
  readonly address: string;
  /** The 64-byte Ed25519 signature of these bytes. */
  signMessage(message: Uint8Array): Promise<Uint8Array>;
}

const { subtle } = globalThis.crypto;

/** A key of WebCrypto. */
export type Key = Parameters<typeof subtle.sign>[1];

/** An Ed25519 key pair of WebCrypto; its private key need not be extractable. */
export interface KeyPair {
  readonly privateKey: Key;
  readonly publicKey: Key;
}

const SEED_BYTES = 32;
const ALGORITHM = 'Ed25519';
type Bytes = Uint8Array<ArrayBuffer>;

/** A wallet from a key pair of WebCrypto. */
export async function signerFromKeyPair({ privateKey, publicKey }: KeyPair): Promise<Signer> {
  const address = base58(new Uint8Array(await subtle.exportKey('raw', publicKey)));
  const signMessage = async (message: Uint8Array) =>
    new Uint8Array(await subtle.sign(ALGORITHM, privateKey, message as Bytes));
  return { address, signMessage };
}

/** A wallet that nobody has used before, and that nobody can copy: its key stays inside of WebCrypto, and is gone with the page. */
export async function throwAwaySigner(): Promise<Signer> {
  return signerFromKeyPair((await subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])) as KeyPair);
}

/** A wallet from the 32-byte seed, or the 64 bytes of seed and public key that Solana tools keep. */
export async function signerFromBytes(bytes: Uint8Array): Promise<Signer> {
  if (bytes.length !== SEED_BYTES && bytes.length !== 2 * SEED_BYTES) throw new TypeError('a key has 32 or 64 bytes');
  const pkcs8 = pkcs8OfSeed(bytes.subarray(0, SEED_BYTES)) as Bytes;
  const privateKey = await subtle.importKey('pkcs8', pkcs8, ALGORITHM, true, ['sign']);
  const { d: _, ...jwk } = await subtle.exportKey('jwk', privateKey);
  const publicKey = await subtle.importKey('jwk', { ...jwk, key_ops: ['verify'] }, ALGORITHM, true, ['verify']);
  return signerFromKeyPair({ privateKey, publicKey });
}
