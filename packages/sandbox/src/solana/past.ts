import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { base58Bytes, SYSTEM_PROGRAM } from '../chain/addresses.ts';
import type { Landed } from '../chain/bank.ts';
import type { Outcome } from '../chain/svm.ts';
import { readTransaction } from '../chain/transaction.ts';
import { addressFrom, bytesOf, draw, EXAMPLES, lamportsOf } from './catalogue.ts';

/** The end of the simulated history: a slot and its time in seconds. */
export interface Present {
  readonly slot: bigint;
  readonly seconds: number;
}

/** A simulated transfer of SOL to or from an address. */
export interface PastEvent {
  readonly signature: string;
  readonly slot: bigint;
  readonly transactionIndex: number;
  readonly blockTime: number;
  readonly from: string;
  readonly to: string;
  readonly lamports: bigint;
  readonly failed: boolean;
  readonly version: 'legacy' | 0;
}

const FEE = 5000n;
const SLOTS_BETWEEN = 1337;
const SLOT_SECONDS = 0.4;

const bytesOfAddress = (address: string): Buffer => Buffer.from(base58Bytes(address, 32) ?? []);
const mask = (seal: Buffer): Buffer => createHash('sha256').update(seal).digest();
const xor = (left: Buffer, right: Buffer): Buffer => Buffer.from(left.map((byte, at) => byte ^ (right[at] ?? 0)));

function sealOf(address: string, index: number): Buffer {
  const seal = bytesOf(`${address}:past:${index}`).subarray(0, 32);
  seal.writeUInt32LE(index, 0);
  return seal;
}

// The signature encodes its address and index, so that no list of signatures is needed.
function signatureOf(address: string, index: number): string {
  const seal = sealOf(address, index);
  return bs58.encode(Buffer.concat([xor(bytesOfAddress(address), mask(seal)), seal]));
}

/** The number of simulated transactions of an address. */
export const lengthOfPast = (address: string): number =>
  address === EXAMPLES.absent ? 0 : 40 + draw(`${address}:past`, 200);

/** One transaction of an address; 0 is the newest. */
export function pastEvent(address: string, index: number, present: Present): PastEvent {
  const name = `${address}:past:${index}`;
  const behind = 1000 + index * SLOTS_BETWEEN + draw(`${name}:slot`, SLOTS_BETWEEN);
  const other = addressFrom(`${name}:other`);
  const isIn = draw(`${name}:in`, 2) === 0;
  return {
    signature: signatureOf(address, index),
    slot: present.slot - BigInt(behind),
    transactionIndex: draw(`${name}:index`, 1400),
    blockTime: Math.floor(present.seconds - behind * SLOT_SECONDS),
    from: isIn ? other : address,
    to: isIn ? address : other,
    lamports: BigInt(draw(`${name}:lamports`, 2_000_000)) * 1_000n + 1n,
    failed: draw(`${name}:failed`, 11) === 0,
    version: index % 3 === 2 ? 0 : 'legacy',
  };
}

/** The simulated history of an address, newest first. */
export const pastOf = (address: string, present: Present): PastEvent[] =>
  Array.from({ length: lengthOfPast(address) }, (_, index) => pastEvent(address, index, present));

/** The simulated transaction with a signature, if any. */
export function pastEventBySignature(signature: string, present: Present): PastEvent | undefined {
  const bytes = Buffer.from(base58Bytes(signature, 64) ?? []);
  if (bytes.length !== 64) return undefined;
  const seal = bytes.subarray(32);
  const address = bs58.encode(xor(bytes.subarray(0, 32), mask(seal)));
  const index = seal.readUInt32LE(0);
  const isOurs = index < lengthOfPast(address) && sealOf(address, index).equals(seal);
  return isOurs ? pastEvent(address, index, present) : undefined;
}

function wireOf({ signature, from, to, lamports, version }: PastEvent): string {
  const transfer = Buffer.alloc(12);
  transfer.writeUInt32LE(2, 0);
  transfer.writeBigUInt64LE(lamports, 4);
  const blockhash = bytesOf(`${signature}:blockhash`).subarray(0, 32);
  const keys = [from, to, SYSTEM_PROGRAM].map(bytesOfAddress);
  const isVersioned = version === 0;
  return Buffer.concat([
    Buffer.of(1),
    Buffer.from(base58Bytes(signature, 64) ?? []),
    Buffer.from(isVersioned ? [0x80, 1, 0, 1, 3] : [1, 0, 1, 3]),
    ...keys,
    blockhash,
    Buffer.of(1, 2, 2, 0, 1, 12),
    transfer,
    Buffer.from(isVersioned ? [0] : []),
  ]).toString('base64');
}

function outcomeOf({ failed }: PastEvent): Outcome {
  const end = failed ? 'failed: custom program error: 0x1' : 'success';
  return {
    err: failed ? { InstructionError: [0, { Custom: 1 }] } : null,
    logs: [`Program ${SYSTEM_PROGRAM} invoke [1]`, `Program ${SYSTEM_PROGRAM} ${end}`],
    units: 150n,
    fee: FEE,
    inner: [],
    returned: null,
    after: [],
  };
}

/** A simulated transaction in the form of a landed one. */
export function landedOf(event: PastEvent): Landed {
  const moved = event.failed ? 0n : event.lamports;
  const [from, to] = [lamportsOf(event.from), lamportsOf(event.to)];
  const tokens = new Map();
  return {
    transaction: readTransaction(wireOf(event), 'base64'),
    slot: event.slot,
    at: event.blockTime * 1000,
    outcome: outcomeOf(event),
    before: { lamports: [from + moved + FEE, to, 1n], tokens },
    after: { lamports: [from, to + moved, 1n], tokens },
  };
}
