import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Signer } from '@asset-gateway/client';
import { keypairFromFile, newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { Misunderstood } from '../misunderstood.ts';
import { writeOnce } from '../money/durable.ts';

/** Where a key is from: a file that is the user's own, the keychain, the state folder, or nowhere. */
export type KeySource = 'file' | 'keychain' | 'kept' | 'fresh';

/** Who asks. */
export interface Wallet {
  /** The 64 bytes that Solana tools keep. */
  readonly keypair: Uint8Array;
  readonly signer: Signer;
  readonly source: KeySource;
  /** The file, where it is from one. */
  readonly file?: string;
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

export const walletOf = (keypair: Uint8Array, source: KeySource, file?: string): Wallet => ({
  keypair,
  signer: signerFromBytes(keypair),
  source,
  ...(file !== undefined && { file }),
});

/** A wallet that nobody has used before. */
export const freshWallet = (): Wallet => walletOf(newKeypair(), 'fresh');

/** Shorter than a key in any spelling: 32 bytes take 40 characters at least. */
const MAX_NAME = 32;

/** Whether a text may be shown as the path of a file: others could read a key that was typed in its place. */
const isPlausiblePath = (text: string): boolean => basename(text).length <= MAX_NAME && existsSync(dirname(text));

/** The wallet in a keypair file. A parser's message about another file would quote it. */
export function walletIn(file: string, name = '--keypair'): Wallet {
  try {
    return walletOf(keypairFromFile(file), 'file', file);
  } catch {
    if (existsSync(file))
      throw new Misunderstood(`${name} takes a Solana CLI keypair file: a JSON array of 64 numbers`);
    throw new Misunderstood(
      isPlausiblePath(file)
        ? `${name}: there is no file ${file}`
        : `${name} takes the path of a file; a key itself is never typed, as others could read it`,
    );
  }
}

/** The wallet that this file keeps; nothing where there is none. */
export function keptWallet(file: string): Wallet | undefined {
  try {
    return walletOf(keypairFromFile(file), 'kept', file);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw new Error(`${file} is no keypair file; what it keeps is not overwritten`);
  }
}

/** The wallet that this file keeps; made the first time. */
export function keepWallet(file: string): Wallet {
  const kept = keptWallet(file);
  if (kept) return kept;
  writeOnce(file, JSON.stringify([...newKeypair()]));
  return keptWallet(file) as Wallet;
}
