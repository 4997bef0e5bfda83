import { pkcs8OfSeed } from '@asset-gateway/protocol';
import { base58 } from './encoding.ts';
import { GatewayError } from './error.ts';

/** A Solana wallet that signs messages. */
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

/** A wallet with a new key, which cannot be extracted from WebCrypto and is lost with the page. */
export async function throwAwaySigner(): Promise<Signer> {
  return signerFromKeyPair((await subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])) as KeyPair);
}

/** A wallet from a 32-byte seed, or from Solana's 64 bytes of seed and public key. */
export async function signerFromBytes(bytes: Uint8Array): Promise<Signer> {
  if (bytes.length !== SEED_BYTES && bytes.length !== 2 * SEED_BYTES) throw new TypeError('a key has 32 or 64 bytes');
  const pkcs8 = pkcs8OfSeed(bytes.subarray(0, SEED_BYTES)) as Bytes;
  const privateKey = await subtle.importKey('pkcs8', pkcs8, ALGORITHM, true, ['sign']);
  const { d: _, ...jwk } = await subtle.exportKey('jwk', privateKey);
  const publicKey = await subtle.importKey('jwk', { ...jwk, key_ops: ['verify'] }, ALGORITHM, true, ['verify']);
  return signerFromKeyPair({ privateKey, publicKey });
}

/** A message as `@solana/kit` hands it to its signers. */
interface SignableMessage {
  readonly content: Uint8Array;
  readonly signatures: Readonly<Record<string, Uint8Array>>;
}

/** The shape of a message signer of `@solana/kit`, such as `createKeyPairSignerFromBytes` makes. */
export interface KitMessageSigner {
  readonly address: string;
  signMessages(messages: readonly SignableMessage[]): Promise<readonly Readonly<Record<string, Uint8Array>>[]>;
}

/** A wallet from a signer of `@solana/kit`. */
export function signerFromKit(signer: KitMessageSigner): Signer {
  const { address } = signer;
  return {
    address,
    async signMessage(message) {
      const [signatures] = await signer.signMessages([{ content: message, signatures: {} }]);
      const signature = signatures?.[address];
      if (!signature) throw new GatewayError('not_signed', { message: `the signer did not sign for ${address}` });
      return signature;
    },
  };
}
