import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { keypairFile, solanaKeypairFile, stateFolder } from '../config.ts';
import { UsageError } from '../exit-code.ts';
import type { Values } from '../options.ts';
import { storedOrNewWallet, storedWallet, temporaryWallet, type Wallet, walletIn } from './files.ts';
import { addressIn, keychainWallet, newKeychainWallet } from './keychain.ts';

const walletFile = (): string => join(stateFolder(), 'wallet.json');
const keychainFile = (): string => join(stateFolder(), 'wallet.keychain');

/** The user's wallet: the named one, that of `wallet new`, or that of the Solana command line. Undefined if there is none. */
export async function ownWallet(values: Values): Promise<Wallet | undefined> {
  const named = values.text('keypair');
  if (named !== undefined) return walletIn(named);
  const fromEnvironment = keypairFile();
  if (fromEnvironment !== undefined) return walletIn(fromEnvironment, 'ASSET_GATEWAY_KEYPAIR');
  const address = addressIn(keychainFile());
  if (address !== undefined) return keychainWallet(address);
  const stored = storedWallet(walletFile());
  if (stored) return stored;
  const file = solanaKeypairFile();
  return existsSync(file) ? walletIn(file, file) : undefined;
}

/** The user's wallet, or a temporary one. With `--credit` a new wallet is stored, because credit belongs to a wallet. */
export async function walletFor(values: Values): Promise<Wallet> {
  const own = await ownWallet(values);
  if (own) return own;
  return values.is('credit') ? storedOrNewWallet(walletFile()) : temporaryWallet();
}

/** Makes the user's wallet. Throws if there is one: its key may be the only access to its money. */
export async function newWallet(inKeychain: boolean): Promise<Wallet> {
  const address = addressIn(keychainFile());
  if (address !== undefined) throw new UsageError(`you already have a wallet in the keychain: ${address}`);
  if (existsSync(walletFile())) throw new UsageError(`you already have a wallet: ${walletFile()}; move it away first`);
  return inKeychain ? newKeychainWallet(keychainFile()) : storedOrNewWallet(walletFile());
}
