import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { keypairFile, solanaKeypairFile, stateFolder } from '../config.ts';
import { Misunderstood } from '../misunderstood.ts';
import type { Values } from '../options.ts';
import { freshWallet, keepWallet, keptWallet, type Wallet, walletIn } from './files.ts';
import { addressIn, keychainWallet, newKeychainWallet } from './keychain.ts';

const walletFile = (): string => join(stateFolder(), 'wallet.json');
const keychainFile = (): string => join(stateFolder(), 'wallet.keychain');

/** The wallet of this user, nearest first: named, made by `wallet new`, the Solana command line's. Nothing where there is none. */
export async function ownWallet(values: Values): Promise<Wallet | undefined> {
  const named = values.text('keypair');
  if (named !== undefined) return walletIn(named);
  const fromEnvironment = keypairFile();
  if (fromEnvironment !== undefined) return walletIn(fromEnvironment, 'ASSET_GATEWAY_KEYPAIR');
  const address = addressIn(keychainFile());
  if (address !== undefined) return keychainWallet(address);
  const kept = keptWallet(walletFile());
  if (kept) return kept;
  const file = solanaKeypairFile();
  return existsSync(file) ? walletIn(file, file) : undefined;
}

/** Who asks: the user's wallet, or one that nobody has used before. Credit belongs to a wallet, so that one is kept for it. */
export async function walletFor(values: Values): Promise<Wallet> {
  const own = await ownWallet(values);
  if (own) return own;
  return values.is('credit') ? keepWallet(walletFile()) : freshWallet();
}

/** Makes the wallet that is used from now on. Throws where there is one: its key might be the only one to what it holds. */
export async function newWallet(inKeychain: boolean): Promise<Wallet> {
  const address = addressIn(keychainFile());
  if (address !== undefined) throw new Misunderstood(`there is a wallet already, ${address}, in the keychain`);
  if (existsSync(walletFile()))
    throw new Misunderstood(`there is a wallet already: ${walletFile()}; move it away first`);
  return inKeychain ? newKeychainWallet(keychainFile()) : keepWallet(walletFile());
}
