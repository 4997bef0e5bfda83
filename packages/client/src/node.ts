/**
 * Wallets in keypair files of the Solana CLI, for Node.
 * @packageDocumentation
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pkcs8OfSeed, withoutMark } from '@asset-gateway/protocol/wire';
import { base58, type Signer } from './signer.ts';

/**
 * Makes a new key pair.
 * @returns Solana's 64 bytes: a seed of 32, and the public key
 */
export function newKeypair(): Uint8Array {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
}

/**
 * Reads a keypair file of the Solana CLI: a JSON array of 64 numbers.
 * @param path the full path of the file; `~` is not expanded
 * @returns the 64 bytes of the key pair
 * @throws if the file cannot be read or is not JSON
 */
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

/**
 * Makes a signer from the bytes of a key, by Node's own cryptography.
 * @param bytes the 32 bytes of a seed, or Solana's 64 bytes of seed and public key
 * @throws TypeError for another length
 */
export function signerFromBytes(bytes: Uint8Array): Signer {
  if (bytes.length !== SEED_BYTES && bytes.length !== 2 * SEED_BYTES) throw new TypeError('a key has 32 or 64 bytes');
  const der = Buffer.from(pkcs8OfSeed(bytes.subarray(0, SEED_BYTES)));
  return signerOf(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/**
 * Makes a signer from a keypair file of the Solana CLI.
 * @param path the full path of the file; `~` is not expanded
 * @throws if the file cannot be read or holds no key
 * @example
 * const client = createClient({ baseUrl, signer: signerFromFile('/home/me/.config/solana/id.json') });
 */
export const signerFromFile = (path: string): Signer => signerFromBytes(keypairFromFile(path));

/** Makes a signer with a new key. The key is lost when the process ends. */
export const newSigner = (): Signer => signerOf(generateKeyPairSync('ed25519').privateKey);
