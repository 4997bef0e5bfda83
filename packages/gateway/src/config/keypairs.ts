import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pkcs8OfSeed, withoutMark } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import type { Reader } from './settings.ts';

const KEYPAIR_BYTES = 64;
const SEED_BYTES = 32;

/** The bytes of a key pair, or a fault as a sentence. The fault never quotes the text, which may be a mistyped key. */
type KeypairReading = Uint8Array | string;

const NO_NUMBERS = 'is not a JSON array of 64 numbers from 0 to 255, as the Solana CLI writes it';

const NO_PAIR = 'has halves that do not match: the last 32 bytes must be the public key of the first 32';

const isByte = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;

/** Whether the second half of the bytes is the public key of the first half. */
function isPair(bytes: Uint8Array): boolean {
  const der = Buffer.from(pkcs8OfSeed(bytes.subarray(0, SEED_BYTES)));
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').equals(bytes.subarray(SEED_BYTES));
}

function checked(bytes: Uint8Array): KeypairReading {
  if (bytes.length !== KEYPAIR_BYTES) return `has ${bytes.length} bytes instead of ${KEYPAIR_BYTES}`;
  return isPair(bytes) ? bytes : NO_PAIR;
}

function fromJson(json: string): KeypairReading {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's message would quote the key.
    return NO_NUMBERS;
  }
  return Array.isArray(value) && value.every(isByte) ? checked(Uint8Array.from(value)) : NO_NUMBERS;
}

function fromFile(path: string): KeypairReading {
  let json: string;
  try {
    json = withoutMark(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['EACCES', 'EPERM'].includes(code)) return 'names a file that this user may not read';
    if (code === 'EISDIR') return 'names a folder; name the keypair file in it';
    return 'is neither a file nor base58 of 64 bytes';
  }
  return fromJson(json);
}

function read(text: string): KeypairReading {
  if (text.startsWith('[')) return fromJson(text);
  const bytes = bs58.decodeUnsafe(text);
  // A short file name may also be valid base58.
  return bytes === undefined || bytes.length < SEED_BYTES ? fromFile(text) : checked(bytes);
}

/** Reads a key pair: a Solana CLI keypair file, its JSON array, or its 64 bytes in base58. Otherwise adds a fault. */
export function readKeypair(reader: Reader, name: string, text: string): Uint8Array | undefined {
  const reading = read(text);
  if (typeof reading !== 'string') return reading;
  reader.faults.push(`${name} ${reading}.`);
  return undefined;
}

const NAME = 'RECEIPT_KEYPAIR';
const OFF = `${NAME} is set, but receipts are off: set RECEIPTS=on`;

/** Reads one key pair, or several separated by commas. A JSON array is one key pair. */
function readKeypairs(read: Reader): Uint8Array[] {
  const text = read.text(NAME, '');
  const texts = text.startsWith('[') ? [text] : read.list(NAME);
  return texts.flatMap((each) => readKeypair(read, NAME, each) ?? []);
}

/**
 * The key pairs that sign receipts. The first one signs, and the public keys of all are published. If empty, keys are derived from the
 * gateway's secrets.
 */
export interface ReceiptsConfig {
  readonly keypairs: readonly Uint8Array[];
}

/** Reads the receipt keys. Reports their faults even if receipts are off. */
export function readReceipts(read: Reader): ReceiptsConfig | undefined {
  const keypairs = readKeypairs(read);
  if (read.choice('RECEIPTS', 'off', ['off', 'on']) === 'on') return { keypairs };
  if (keypairs.length > 0) read.notices.push(OFF);
  return undefined;
}
