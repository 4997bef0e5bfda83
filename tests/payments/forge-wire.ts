import { createPrivateKey, sign } from 'node:crypto';
import {
  type CompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';
import bs58 from 'bs58';

/** An instruction of a draft; its numbers are positions in the draft's keys. */
export interface DraftInstruction {
  program: number;
  accounts: number[];
  data: Uint8Array;
}

/** A decoded transaction that a test can change. */
export interface Draft {
  /** The first byte of the message: 0x80 for version 0, nothing for a legacy one. */
  version: number | undefined;
  signers: number;
  readonlySigners: number;
  readonlyOthers: number;
  keys: string[];
  blockhash: string;
  instructions: DraftInstruction[];
  lookups: { table: string; writable: number[]; readonly: number[] }[];
}

const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SIGNATURE_BYTES = 64;

/** Solana's compact-u16. */
export function compact(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...compact(value >> 7)];
}

/** Decodes a transaction with @solana/kit, independently of the gateway's reader. */
export function draftOf(wire: Uint8Array): Draft {
  const { messageBytes } = getTransactionDecoder().decode(wire);
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes) as CompiledTransactionMessage & {
    lifetimeToken: string;
  };
  const { header, staticAccounts, instructions, lifetimeToken } = compiled;
  return {
    version: 0x80,
    signers: header.numSignerAccounts,
    readonlySigners: header.numReadonlySignerAccounts,
    readonlyOthers: header.numReadonlyNonSignerAccounts,
    keys: [...staticAccounts],
    blockhash: lifetimeToken,
    instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
      program: programAddressIndex,
      accounts: [...accountIndices],
      data: Uint8Array.from(data),
    })),
    lookups: [],
  };
}

const listOf = (bytes: ArrayLike<number>): number[] => [...compact(bytes.length), ...Array.from(bytes)];

/** The bytes that signatures are over. */
export function messageOf(draft: Draft): Buffer {
  const { version, keys, instructions, lookups } = draft;
  const bytes = [
    ...(version === undefined ? [] : [version]),
    draft.signers,
    draft.readonlySigners,
    draft.readonlyOthers,
    ...compact(keys.length),
    ...keys.flatMap((key) => [...bs58.decode(key)]),
    ...bs58.decode(draft.blockhash),
    ...compact(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [program, ...listOf(accounts), ...listOf(data)]),
  ];
  const tables = lookups.flatMap((each) => [
    ...bs58.decode(each.table),
    ...listOf(each.writable),
    ...listOf(each.readonly),
  ]);
  return Buffer.from(version === undefined ? bytes : [...bytes, ...compact(lookups.length), ...tables]);
}

/** The signature of a wallet (64 bytes of key pair) over a message. */
export function signatureOver(message: Uint8Array, keypair: Uint8Array): Buffer {
  const der = Buffer.concat([PKCS8_HEAD, keypair.subarray(0, 32)]);
  return sign(null, message, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** A transaction of these signatures, in their order, and this message. */
export const wireOf = (signatures: readonly Uint8Array[], message: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(compact(signatures.length)), ...signatures, message]);

/** Encodes a draft, signed by these wallets; the slots of other signers stay empty. */
export function signed(draft: Draft, wallets: readonly Uint8Array[]): Buffer {
  const message = messageOf(draft);
  const slots = draft.keys.slice(0, draft.signers).map((key) => {
    const wallet = wallets.find((each) => bs58.encode(each.subarray(32)) === key);
    return wallet ? signatureOver(message, wallet) : Buffer.alloc(SIGNATURE_BYTES);
  });
  return wireOf(slots, message);
}

const shift = (from: number) => (index: number) => (index >= from ? index + 1 : index);

function insertKey(draft: Draft, at: number, key: string): void {
  draft.keys.splice(at, 0, key);
  for (const each of draft.instructions) {
    each.program = shift(at)(each.program);
    each.accounts = each.accounts.map(shift(at));
  }
}

/** The position of a key that may only be read; added when it is new. */
export function readable(draft: Draft, key: string): number {
  const known = draft.keys.indexOf(key);
  if (known >= 0) return known;
  draft.readonlyOthers += 1;
  return draft.keys.push(key) - 1;
}

/** The position of a key that may be written; added when it is new. */
export function writable(draft: Draft, key: string): number {
  const known = draft.keys.indexOf(key);
  if (known >= 0) return known;
  const at = draft.keys.length - draft.readonlyOthers;
  insertKey(draft, at, key);
  return at;
}

/** The position of a further signer, after those that are there. */
export function signer(draft: Draft, key: string): number {
  const at = draft.signers;
  insertKey(draft, at, key);
  draft.signers += 1;
  draft.readonlySigners += 1;
  return at;
}
