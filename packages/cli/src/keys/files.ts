import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Signer } from '@asset-gateway/client';
import { keypairFromFile, newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { UsageError } from '../exit-code.ts';
import { writeOnce } from '../money/durable.ts';

/** The source of a key: the user's own file, the keychain, the state folder, or a new temporary key. */
export type KeySource = 'file' | 'keychain' | 'stored' | 'temporary';

/** A wallet that signs and pays. */
export interface Wallet {
  /** Solana's 64 bytes of seed and public key. */
  readonly keypair: Uint8Array;
  readonly signer: Signer;
  readonly source: KeySource;
  /** The keypair file, if it has one. */
  readonly file?: string;
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

export const walletOf = (keypair: Uint8Array, source: KeySource, file?: string): Wallet => ({
  keypair,
  signer: signerFromBytes(keypair),
  source,
  ...(file !== undefined && { file }),
});

/** A wallet with a new key that is not stored. */
export const temporaryWallet = (): Wallet => walletOf(newKeypair(), 'temporary');

/** Shorter than any encoding of a key: 32 bytes take at least 40 characters. */
const MAX_NAME = 32;

/** Whether an error may show this text: it must not be a key that was typed instead of a path. */
const isPlausiblePath = (text: string): boolean => basename(text).length <= MAX_NAME && existsSync(dirname(text));

/** The wallet in a keypair file. Errors never contain the parser's message, which quotes the file. */
export function walletIn(file: string, name = '--keypair'): Wallet {
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

/** The wallet in this file of the state folder, if any. */
export function storedWallet(file: string): Wallet | undefined {
  try {
    return walletOf(keypairFromFile(file), 'stored', file);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw new Error(`${file} is not a keypair file; it is not overwritten`);
  }
}

/** The wallet in this file of the state folder; created if missing. */
export function storedOrNewWallet(file: string): Wallet {
  const stored = storedWallet(file);
  if (stored) return stored;
  writeOnce(file, JSON.stringify([...newKeypair()]));
  return storedWallet(file) as Wallet;
}
