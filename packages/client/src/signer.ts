import { pkcs8OfSeed } from '@asset-gateway/protocol/wire';
import { GatewayError } from './error.ts';

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const utf8 = new TextEncoder();

/** Encodes bytes as base58. A library for both directions would add a fifth to what a page loads to sign in. */
export function base58(bytes: Uint8Array): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; number > 0n; number /= 58n) text = DIGITS[Number(number % 58n)] + text;
  const firstNonZero = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(firstNonZero < 0 ? bytes.length : firstNonZero) + text;
}

/** Encodes a text's UTF-8 bytes as base64. */
export function base64(text: string): string {
  let bytes = '';
  for (const byte of utf8.encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

/** A Solana wallet that signs messages. */
export interface Signer {
  /** The public key of 32 bytes in base58. */
  readonly address: string;
  /**
   * Signs a message with Ed25519. Throws if the wallet refuses.
   * @param message the bytes to sign
   * @returns the signature of 64 bytes
   */
  signMessage(message: Uint8Array): Promise<Uint8Array>;
}

const { subtle } = globalThis.crypto;

/** A WebCrypto key. */
type Key = Parameters<typeof subtle.sign>[1];

/** An Ed25519 key pair of WebCrypto. Its private key need not be extractable. */
export interface KeyPair {
  /** The key that signs. Its usages include `sign`. */
  readonly privateKey: Key;
  /** The wallet's address. Public keys are always extractable. */
  readonly publicKey: Key;
}

const SEED_BYTES = 32;
const ALGORITHM = 'Ed25519';
type BufferBytes = Uint8Array<ArrayBuffer>;

/**
 * Makes a signer from a key pair of WebCrypto.
 * @param pair an Ed25519 key pair
 */
export async function signerFromKeyPair({ privateKey, publicKey }: KeyPair): Promise<Signer> {
  const address = base58(new Uint8Array(await subtle.exportKey('raw', publicKey)));
  const signMessage = async (message: Uint8Array) =>
    new Uint8Array(await subtle.sign(ALGORITHM, privateKey, message as BufferBytes));
  return { address, signMessage };
}

/** Makes a signer with a new key. The key cannot be extracted from WebCrypto and ends with the page or process. */
export async function throwAwaySigner(): Promise<Signer> {
  return signerFromKeyPair((await subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])) as KeyPair);
}

/**
 * Makes a signer from a key's bytes, with WebCrypto.
 * @param bytes the 32 bytes of a seed, or Solana's 64 bytes of seed and public key
 * @throws TypeError for another length
 */
export async function signerFromBytes(bytes: Uint8Array): Promise<Signer> {
  if (bytes.length !== SEED_BYTES && bytes.length !== 2 * SEED_BYTES) throw new TypeError('a key has 32 or 64 bytes');
  const pkcs8 = pkcs8OfSeed(bytes.subarray(0, SEED_BYTES)) as BufferBytes;
  const privateKey = await subtle.importKey('pkcs8', pkcs8, ALGORITHM, true, ['sign']);
  const { d: _, ...jwk } = await subtle.exportKey('jwk', privateKey);
  const publicKey = await subtle.importKey('jwk', { ...jwk, key_ops: ['verify'] }, ALGORITHM, true, ['verify']);
  return signerFromKeyPair({ privateKey, publicKey });
}

/** A message in the form that `@solana/kit` gives to its signers. */
export interface SignableMessage {
  /** The bytes to sign. */
  readonly content: Uint8Array;
  /** The signatures that the message already has, by address. */
  readonly signatures: Readonly<Record<string, Uint8Array>>;
}

/** A message signer of `@solana/kit`, such as `createKeyPairSignerFromBytes` makes. */
export interface KitMessageSigner {
  /** The public key in base58. */
  readonly address: string;
  /**
   * Signs each message.
   * @param messages the messages
   * @returns for each message, signatures of 64 bytes by address
   */
  signMessages(messages: readonly SignableMessage[]): Promise<readonly Readonly<Record<string, Uint8Array>>[]>;
}

/**
 * Makes a signer from a `@solana/kit` signer.
 * @param signer a message signer, such as a key pair signer
 */
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

/** An account of a Wallet Standard wallet. */
export interface WalletAccount {
  /** The public key in base58. */
  readonly address: string;
  /** The chains that the account works on, such as `solana:mainnet`. */
  readonly chains: readonly string[];
}

/** A wallet of the Wallet Standard. */
export interface Wallet {
  /** The wallet's name in errors. */
  readonly name: string;
  /** The accounts that the wallet shows; empty until it is connected. */
  readonly accounts: readonly WalletAccount[];
  /** The wallet's features by name, such as `solana:signMessage`. */
  readonly features: Readonly<Record<string, unknown>>;
}

interface SignMessage {
  signMessage(input: {
    account: WalletAccount;
    message: Uint8Array;
  }): Promise<readonly { signedMessage: Uint8Array; signature: Uint8Array }[]>;
}

interface Connect {
  connect(): Promise<{ accounts: readonly WalletAccount[] }>;
}

const SIGNATURE_BYTES = 64;

const notSigned = (message: string): GatewayError => new GatewayError('not_signed', { message });

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

/** Returns a wallet's feature. Throws if the wallet lacks it. */
export function featureOf<T>(wallet: Wallet, name: string): T {
  const feature = wallet.features[name];
  if (feature) return feature as T;
  throw notSigned(`${wallet.name} has no ${name}; use another wallet`);
}

/** Returns the wallet's first Solana account. Connects the wallet if it shows none. */
export async function accountOf(wallet: Wallet): Promise<WalletAccount> {
  const isSolana = ({ chains }: WalletAccount): boolean => chains.some((chain) => chain.startsWith('solana:'));
  const shown = wallet.accounts.find(isSolana);
  if (shown) return shown;
  const { accounts } = await featureOf<Connect>(wallet, 'standard:connect').connect();
  const account = accounts.find(isSolana);
  if (!account) throw notSigned(`${wallet.name} shows no Solana account`);
  return account;
}

/**
 * Makes a signer from a wallet with the feature `solana:signMessage`. The wallet may ask its user for each signature.
 * @param wallet a wallet of the Wallet Standard
 * @param chosen the account that signs; default: the first Solana account, for which the wallet may ask its user to connect
 * @throws GatewayError `not_signed` if the wallet has no such feature or shows no Solana account
 */
export async function signerFromWallet(wallet: Wallet, chosen?: WalletAccount): Promise<Signer> {
  const account = chosen ?? (await accountOf(wallet));
  const { signMessage } = featureOf<SignMessage>(wallet, 'solana:signMessage');
  return {
    address: account.address,
    async signMessage(message) {
      const [output] = await signMessage({ account, message });
      if (!output || !isSame(output.signedMessage, message) || output.signature.length !== SIGNATURE_BYTES) {
        throw notSigned(`${wallet.name} signed another text than requested`);
      }
      return output.signature;
    },
  };
}
