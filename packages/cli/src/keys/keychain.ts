import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { makeFolder, writeDurably } from '../money/durable.ts';
import { type Wallet, walletOf } from './files.ts';

const SERVICE = 'asset-gateway';

/** On Linux there is a second store, in the memory of the kernel: a key in it would be lost with the next start. */
const STORE = { linux: { store: 'secret-service' } };

/** What a keychain does, as `@napi-rs/keyring` has it. */
interface Entry {
  setSecret(secret: Uint8Array): void;
  getSecret(): Uint8Array | null;
}

const UNAVAILABLE = "this system's keychain cannot be used; keep the wallet in a file instead: leave --keychain out";

async function entryFor(address: string): Promise<Entry> {
  const module = '@napi-rs/keyring';
  const { Entry } = (await import(module)) as { Entry: new (service: string, user: string, options: object) => Entry };
  return new Entry(SERVICE, address, STORE);
}

/** The address of the wallet in the keychain, which the state folder remembers; nothing where there is none. */
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
  if (!secret) throw new Error(`the keychain does not give out the key of ${address}; unlock it, or use --keypair`);
  return walletOf(Uint8Array.from(secret), 'keychain');
}

/** Makes a wallet in the keychain; the state folder remembers its address alone. */
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
