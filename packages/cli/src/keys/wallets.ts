import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Signer } from '@asset-gateway/client';
import { keypairFromFile, newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { ADDRESS_PATTERN } from '@asset-gateway/protocol';
import { solanaKeypairFile, stateFolder } from '../config.ts';
import { UsageError } from '../failure.ts';
import { writeOnce } from '../money/durable.ts';
import type { Values } from '../options.ts';

/** The source of a key: the user's own file, the keychain, the state folder, or a new temporary key. */
type KeySource = 'file' | 'keychain' | 'stored' | 'temporary';

/** A wallet that signs and pays. */
export interface Wallet {
  /** Solana's 64 bytes of seed and public key. */
  readonly keypair: Uint8Array;
  readonly signer: Signer;
  readonly source: KeySource;
  /** The wallet's file; undefined if it has none. */
  readonly file: string | undefined;
}

const walletOf = (keypair: Uint8Array, source: KeySource, file?: string): Wallet => ({
  keypair,
  signer: signerFromBytes(keypair),
  source,
  file,
});

/** The longest name of a wallet. It is shorter than any encoding of a key: 32 bytes take at least 40 characters. */
const MAX_NAME = 32;

/** Whether an error may show this text. It must not be a key typed in place of a path. */
const isPlausiblePath = (text: string): boolean => basename(text).length <= MAX_NAME && existsSync(dirname(text));

/** Returns the wallet in a keypair file. No error contains the parser's message, which quotes the file. */
function walletIn(file: string, name: string): Wallet {
  try {
    return walletOf(keypairFromFile(file), 'file', file);
  } catch {
    if (existsSync(file)) throw new UsageError(`${name} takes a Solana CLI keypair file: a JSON array of 64 numbers`);
    throw new UsageError(
      isPlausiblePath(file)
        ? `${name}: there is no file ${file}`
        : `${name} takes the path of a file; never type a key itself, because others could read it`,
    );
  }
}

const isMissing = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) === undefined;

/**
 * Returns what is read from a file of the user's wallet; undefined without such a file. Throws if the file is unreadable, because another
 * wallet must not take its place.
 */
function ownIn<T>(file: string, read: (file: string) => T): T | undefined {
  try {
    return isMissing(file) ? undefined : read(file);
  } catch {
    throw new UsageError(
      `your wallet in ${file} cannot be read, and no other is used; restore the file, or its permissions, or name a wallet with --keypair`,
    );
  }
}

/** Returns the wallet in this file of the state folder, if any. */
const storedWallet = (file: string): Wallet | undefined =>
  ownIn(file, () => walletOf(keypairFromFile(file), 'stored', file));

/** Returns the wallet in this file of the state folder. Makes one if the file is missing. */
function storedOrNewWallet(file: string): Wallet {
  const stored = storedWallet(file);
  if (stored) return stored;
  writeOnce(file, JSON.stringify([...newKeypair()]));
  return storedWallet(file) as Wallet;
}

const SERVICE = 'asset-gateway';

/** The store of the keychain. On Linux the library's default is the kernel's memory, which a restart clears. */
const STORE = { linux: { store: 'secret-service' } };

/** The part of `@napi-rs/keyring` that we use. */
interface Keyring {
  readonly Entry: new (
    service: string,
    user: string,
    options: object,
  ) => { setSecret(secret: Uint8Array): void; getSecret(): Uint8Array | null };
}

/** Returns the keychain's secret for an address. Stores it first if given. Null if the keychain does not work. */
async function secretOf(address: string, stored?: Uint8Array): Promise<Uint8Array | null> {
  const module = '@napi-rs/keyring';
  try {
    const { Entry } = (await import(module)) as Keyring;
    const entry = new Entry(SERVICE, address, STORE);
    if (stored) entry.setSecret(stored);
    return entry.getSecret();
  } catch {
    return null;
  }
}

/** Returns the address that the state folder names for the keychain's wallet, if any. */
const addressIn = (file: string): string | undefined =>
  ownIn(file, () => {
    const address = readFileSync(file, 'utf8').trim();
    if (!ADDRESS_PATTERN.test(address)) throw new TypeError('not an address');
    return address;
  });

/** Returns the wallet in the keychain. */
async function keychainWallet(address: string): Promise<Wallet> {
  const secret = await secretOf(address);
  if (!secret) throw new Error(`the keychain refuses the key of ${address}; unlock it, or use --keypair`);
  return walletOf(Uint8Array.from(secret), 'keychain');
}

/** Makes a wallet in the keychain. The state folder stores only its address. */
async function newKeychainWallet(file: string): Promise<Wallet> {
  const wallet = walletOf(newKeypair(), 'keychain');
  const { address } = wallet.signer;
  if (!(await secretOf(address, wallet.keypair)))
    throw new Error("this system's keychain does not work; omit --keychain to store the wallet in a file");
  writeOnce(file, `${address}\n`);
  // Meanwhile another process may have made one.
  return keychainWallet(addressIn(file) ?? address);
}

const walletFile = (): string => join(stateFolder(), 'wallet.json');
const keychainFile = (): string => join(stateFolder(), 'wallet.keychain');

/** Returns the user's wallet: the named one, that of `wallet new`, or that of the Solana command line. Undefined without one. */
export async function ownWallet(values: Values): Promise<Wallet | undefined> {
  const named = values.given('keypair');
  if (named.text !== undefined) return walletIn(named.text, named.source);
  const address = addressIn(keychainFile());
  if (address !== undefined) return keychainWallet(address);
  const stored = storedWallet(walletFile());
  if (stored) return stored;
  const file = solanaKeypairFile();
  return ownIn(file, () => walletOf(keypairFromFile(file), 'file', file));
}

/** The signer for a user without a wallet: a temporary key, or a new wallet. `made` gets the new wallet's file. */
interface Substitute {
  readonly isStored: boolean;
  readonly made: (file: string) => void;
}

/** Returns the user's wallet, or its substitute. Credit belongs to a wallet, so a key that buys credit is stored. */
export async function walletFor(values: Values, { isStored, made }: Substitute): Promise<Wallet> {
  const own = await ownWallet(values);
  if (own) return own;
  if (!isStored) return walletOf(newKeypair(), 'temporary');
  const wallet = storedOrNewWallet(walletFile());
  made(walletFile());
  return wallet;
}

/** Makes the user's wallet. Throws if there is one, because its key may be the only access to its money. */
export async function newWallet(isInKeychain: boolean): Promise<Wallet> {
  const address = addressIn(keychainFile());
  if (address !== undefined) throw new UsageError(`you already have a wallet in the keychain: ${address}`);
  if (!isMissing(walletFile())) throw new UsageError(`you already have a wallet: ${walletFile()}; move it away first`);
  return isInKeychain ? newKeychainWallet(keychainFile()) : storedOrNewWallet(walletFile());
}
