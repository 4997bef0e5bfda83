import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Signer } from '@asset-gateway/client';
import { keypairFromFile, newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { Misunderstood } from './request.ts';

/** Who asks. */
export interface Wallet {
  /** The 64 bytes that Solana tools keep. */
  readonly keypair: Uint8Array;
  readonly signer: Signer;
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

const walletOf = (keypair: Uint8Array): Wallet => ({ keypair, signer: signerFromBytes(keypair) });

/** A wallet that nobody has used before. */
export const freshWallet = (): Wallet => walletOf(newKeypair());

/** The wallet in a keypair file. What a parser says about a file that is none would quote it. */
export function walletIn(file: string): Wallet {
  try {
    return walletOf(keypairFromFile(file));
  } catch (error) {
    throw new Misunderstood(
      isCode(error, 'ENOENT')
        ? `--keypair: there is no file ${file}`
        : '--keypair takes a Solana CLI keypair file: a JSON array of 64 numbers',
    );
  }
}

/** Writes a file that only its owner reads, in one step, unless it is there: two commands at once keep the same wallet. */
function writeOnce(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
}

/** The wallet that this file keeps; made the first time. */
export function keptWallet(file: string): Wallet {
  try {
    return walletOf(keypairFromFile(file));
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw new Error(`${file} is no keypair file; what it keeps is not overwritten`);
  }
  writeOnce(file, JSON.stringify([...newKeypair()]));
  return walletOf(keypairFromFile(file));
}
