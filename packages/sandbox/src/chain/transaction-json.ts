import bs58 from 'bs58';
import { MEMO_PROGRAM, MEMO_PROGRAM_V1, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import type { Holdings, Landed } from './bank.ts';
import type { Json, JsonObject } from './json.ts';
import { readTransfer, tokenAmount } from './token.ts';
import { type Instruction, isWritable, memosOf, type WireTransaction } from './transaction.ts';

/** The encoding of a transaction. */
export type TransactionEncoding = 'json' | 'jsonParsed' | 'base58' | 'base64';

type Decimals = (mint: string) => number;

/** The memos of a transaction as RPC lists them; null without memos. */
export function memoText(transaction: WireTransaction): string | null {
  const memos = memosOf(transaction, [MEMO_PROGRAM, MEMO_PROGRAM_V1]);
  return memos.length === 0 ? null : memos.map((memo) => `[${Buffer.byteLength(memo)}] ${memo}`).join('; ');
}

const outcomeStatus = (err: Json): Json => (err === null ? { Ok: null } : { Err: err });

function tokenBalances({ tokens }: Holdings, decimals: Decimals): Json {
  return [...tokens].map(([accountIndex, { mint, owner, amount }]) => ({
    accountIndex,
    mint,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: tokenAmount(amount, decimals(mint)),
  }));
}

function plainInstruction({ programIndex, accounts, data }: Instruction, stackHeight: number | null): JsonObject {
  return { accounts, data: bs58.encode(data), programIdIndex: programIndex, stackHeight };
}

function parsedInstruction(
  instruction: Instruction,
  { keys }: WireTransaction,
  decimals: Decimals,
  stackHeight: number | null,
): JsonObject {
  const programId = keys[instruction.programIndex] ?? '';
  const accounts = instruction.accounts.map((index) => keys[index] ?? '');
  if (programId === MEMO_PROGRAM || programId === MEMO_PROGRAM_V1) {
    return { parsed: Buffer.from(instruction.data).toString('utf8'), program: 'spl-memo', programId, stackHeight };
  }
  const moved = programId === TOKEN_PROGRAM ? readTransfer(instruction) : undefined;
  if (moved && instruction.data[0] === 12) {
    const [source = '', mint = '', destination = '', authority = ''] = accounts;
    const info = { authority, destination, mint, source, tokenAmount: tokenAmount(moved.amount, decimals(mint)) };
    return { parsed: { info, type: 'transferChecked' }, program: 'spl-token', programId, stackHeight };
  }
  if (programId === SYSTEM_PROGRAM && instruction.data.length === 12 && instruction.data[0] === 2) {
    const [source = '', destination = ''] = accounts;
    const info = { destination, lamports: Buffer.from(instruction.data).readBigUInt64LE(4), source };
    return { parsed: { info, type: 'transfer' }, program: 'system', programId, stackHeight };
  }
  return { accounts, data: bs58.encode(instruction.data), programId, stackHeight };
}

function innerInstructions({ outcome, transaction }: Landed, encoding: TransactionEncoding, decimals: Decimals): Json {
  const outers = [...new Set(outcome.inner.map(({ outer }) => outer))];
  return outers.map((index) => ({
    index,
    instructions: outcome.inner
      .filter(({ outer }) => outer === index)
      .map((call) =>
        encoding === 'jsonParsed'
          ? parsedInstruction(call, transaction, decimals, call.depth)
          : plainInstruction(call, call.depth),
      ),
  }));
}

function metaJson(entry: Landed, encoding: TransactionEncoding, decimals: Decimals): JsonObject {
  const { outcome, before, after } = entry;
  const loaded = encoding === 'jsonParsed' ? {} : { loadedAddresses: { readonly: [], writable: [] } };
  return {
    computeUnitsConsumed: outcome.units,
    err: outcome.err,
    fee: outcome.fee,
    innerInstructions: innerInstructions(entry, encoding, decimals),
    ...loaded,
    logMessages: outcome.logs,
    postBalances: after.lamports,
    postTokenBalances: tokenBalances(after, decimals),
    preBalances: before.lamports,
    preTokenBalances: tokenBalances(before, decimals),
    rewards: [],
    status: outcomeStatus(outcome.err),
  };
}

function bodyJson(transaction: WireTransaction, encoding: TransactionEncoding, decimals: Decimals): Json {
  if (encoding === 'base64' || encoding === 'base58') {
    const { wire } = transaction;
    return [encoding === 'base64' ? Buffer.from(wire).toString('base64') : bs58.encode(wire), encoding];
  }
  const { header, keys, blockhash, instructions, signatures, version } = transaction;
  const isParsed = encoding === 'jsonParsed';
  const accountKeys = isParsed
    ? keys.map((pubkey, index) => ({
        pubkey,
        signer: index < header.signers,
        source: 'transaction',
        writable: isWritable(transaction, index),
      }))
    : keys;
  const message = {
    accountKeys,
    ...(version === 'legacy' ? {} : { addressTableLookups: [] }),
    ...(isParsed
      ? {}
      : {
          header: {
            numReadonlySignedAccounts: header.readonlySigners,
            numReadonlyUnsignedAccounts: header.readonlyOthers,
            numRequiredSignatures: header.signers,
          },
        }),
    instructions: instructions.map((each) =>
      isParsed ? parsedInstruction(each, transaction, decimals, 1) : plainInstruction(each, 1),
    ),
    recentBlockhash: blockhash,
  };
  return { message, signatures: signatures.map((signature) => bs58.encode(signature ?? new Uint8Array(64))) };
}

/** A landed transaction as getTransaction returns it. */
export function transactionJson(entry: Landed, encoding: TransactionEncoding, decimals: Decimals): JsonObject {
  return {
    blockTime: Math.floor(entry.at / 1000),
    meta: metaJson(entry, encoding, decimals),
    slot: entry.slot,
    transaction: bodyJson(entry.transaction, encoding, decimals),
    version: entry.transaction.version,
  };
}
