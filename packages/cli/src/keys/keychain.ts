import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { makeFolder, writeDurably } from '../money/durable.ts';
import { type Wallet, walletOf } from './files.ts';

const SERVICE = 'asset-gateway';

/** On Linux the library's default store is the kernel's memory, which a restart clears. */
const STORE = { linux: { store: 'secret-service' } };

/** An entry of `@napi-rs/keyring`. */
interface Entry {
  setSecret(secret: Uint8Array): void;
  getSecret(): Uint8Array | null;
}

const UNAVAILABLE = "this system's keychain does not work; omit --keychain to store the wallet in a file";

async function entryFor(address: string): Promise<Entry> {
  const module = '@napi-rs/keyring';
  const { Entry } = (await import(module)) as { Entry: new (service: string, user: string, options: object) => Entry };
  return new Entry(SERVICE, address, STORE);
}

/** The address of the wallet in the keychain, from the state folder; undefined if there is none. */
export function addressIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The wallet in the keychain. */
export async function keychainWallet(address: string): Promise<Wallet> {
  const secret = await entryFor(address)
    .then((entry) => entry.getSecret())
    .catch(() => null);
  if (!secret) throw new Error(`the keychain refuses the key of ${address}; unlock it, or use --keypair`);
  return walletOf(Uint8Array.from(secret), 'keychain');
}

/** Makes a wallet in the keychain. The state folder stores only its address. */
export async function newKeychainWallet(file: string): Promise<Wallet> {
  const wallet = walletOf(newKeypair(), 'keychain');
  const { address } = wallet.signer;
  try {
    const entry = await entryFor(address);
    entry.setSecret(wallet.keypair);
    if (!entry.getSecret()) throw new Error(UNAVAILABLE);
  } catch {
    throw new Error(UNAVAILABLE);
  }
  makeFolder(dirname(file));
  writeDurably(file, `${address}\n`);
  return wallet;
}
