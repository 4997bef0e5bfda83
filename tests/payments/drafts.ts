import { createPrivateKey, sign } from 'node:crypto';
import {
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
} from '@solana/kit';
import bs58 from 'bs58';

/** An instruction of a draft; its numbers are positions in the draft's accounts. */
export interface DraftInstruction {
  programAddressIndex: number;
  accountIndices: number[];
  data: Uint8Array;
}

/** A transaction as @solana/kit decodes it, which a test can change. */
export interface Draft {
  version: 0 | 'legacy';
  header: { numSignerAccounts: number; numReadonlySignerAccounts: number; numReadonlyNonSignerAccounts: number };
  staticAccounts: string[];
  lifetimeToken: string;
  instructions: DraftInstruction[];
  addressTableLookups: { lookupTableAddress: string; writableIndexes: number[]; readonlyIndexes: number[] }[];
}

const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SIGNATURE_BYTES = 64;

/** Decodes a transaction with @solana/kit, independently of the gateway's reader. */
export function draftOf(wire: Uint8Array): Draft {
  const { messageBytes } = getTransactionDecoder().decode(wire);
  const draft = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const instructions = draft.instructions.map(
    ({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
      ...{ programAddressIndex, accountIndices: [...accountIndices], data: Uint8Array.from(data) },
    }),
  );
  const [header, staticAccounts] = [{ ...draft.header }, [...draft.staticAccounts]];
  return { ...draft, header, staticAccounts, instructions, addressTableLookups: [] };
}

/** The bytes that signatures are over. */
export const messageOf = (draft: Draft): Buffer =>
  Buffer.from(getCompiledTransactionMessageEncoder().encode(draft as never));

/** The signature of a wallet (64 bytes of key pair) over a message. */
export function signatureOver(message: Uint8Array, keypair: Uint8Array): Buffer {
  const der = Buffer.concat([PKCS8_HEAD, keypair.subarray(0, 32)]);
  return sign(null, message, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** A transaction of these signatures, in their order, and this message. */
export const wireOf = (signatures: readonly Uint8Array[], message: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(signatures.length), ...signatures, message]);

/** Encodes a draft, signed by these wallets; the slots of other signers stay empty. */
export function signed(draft: Draft, wallets: readonly Uint8Array[]): Buffer {
  const message = messageOf(draft);
  const slots = draft.staticAccounts.slice(0, draft.header.numSignerAccounts).map((key) => {
    const wallet = wallets.find((each) => bs58.encode(each.subarray(32)) === key);
    return wallet ? signatureOver(message, wallet) : Buffer.alloc(SIGNATURE_BYTES);
  });
  return wireOf(slots, message);
}

const shift = (from: number) => (index: number) => (index >= from ? index + 1 : index);

function insertKey(draft: Draft, at: number, key: string): void {
  draft.staticAccounts.splice(at, 0, key);
  for (const each of draft.instructions) {
    each.programAddressIndex = shift(at)(each.programAddressIndex);
    each.accountIndices = each.accountIndices.map(shift(at));
  }
}

/** The position of a key that may only be read; added when it is new. */
export function readable(draft: Draft, key: string): number {
  const known = draft.staticAccounts.indexOf(key);
  if (known >= 0) return known;
  draft.header.numReadonlyNonSignerAccounts += 1;
  return draft.staticAccounts.push(key) - 1;
}

/** The position of a key that may be written; added when it is new. */
export function writable(draft: Draft, key: string): number {
  const known = draft.staticAccounts.indexOf(key);
  if (known >= 0) return known;
  const at = draft.staticAccounts.length - draft.header.numReadonlyNonSignerAccounts;
  insertKey(draft, at, key);
  return at;
}

/** The position of a further signer, after those that are there. */
export function signer(draft: Draft, key: string): number {
  const at = draft.header.numSignerAccounts;
  insertKey(draft, at, key);
  draft.header.numSignerAccounts += 1;
  draft.header.numReadonlySignerAccounts += 1;
  return at;
}

export const addressOf = (keypair: Uint8Array): string => bs58.encode(keypair.subarray(32));

/** A payment with another transaction in it. */
export const carrying = <Payload extends object>(payload: Payload, wire: Uint8Array) => ({
  ...payload,
  payload: { transaction: Buffer.from(wire).toString('base64') },
});
