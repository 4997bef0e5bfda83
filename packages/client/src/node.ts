import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pkcs8OfSeed, withoutMark } from '@asset-gateway/protocol/wire';
import { base58, type Signer } from './signer.ts';

/** A new key pair in Solana's format: 32 bytes of seed, 32 of public key. */
export function newKeypair(): Uint8Array {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
}

/** The key pair in a Solana CLI keypair file: a JSON array of 64 numbers. */
export const keypairFromFile = (path: string): Uint8Array =>
  Uint8Array.from(JSON.parse(withoutMark(readFileSync(path, 'utf8'))) as number[]);

const SEED_BYTES = 32;

function signerOf(privateKey: KeyObject): Signer {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return {
    address: base58(Buffer.from(x, 'base64url')),
    signMessage: async (message) => sign(null, message, privateKey),
  };
}

/** A wallet from a 32-byte seed, or from Solana's 64 bytes of seed and public key. */
export function signerFromBytes(bytes: Uint8Array): Signer {
  if (bytes.length !== SEED_BYTES && bytes.length !== 2 * SEED_BYTES) throw new TypeError('a key has 32 or 64 bytes');
  const der = Buffer.from(pkcs8OfSeed(bytes.subarray(0, SEED_BYTES)));
  return signerOf(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** A wallet from a Solana CLI keypair file. */
export const signerFromFile = (path: string): Signer => signerFromBytes(keypairFromFile(path));

/** A wallet with a new key. */
export const newSigner = (): Signer => signerOf(generateKeyPairSync('ed25519').privateKey);
