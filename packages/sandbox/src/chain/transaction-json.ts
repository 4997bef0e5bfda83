import bs58 from 'bs58';
import { TOKEN_PROGRAM } from './addresses.ts';
import type { Holdings, Landed } from './bank.ts';
import type { Json, JsonObject } from './json.ts';
import { tokenAmount } from './token.ts';
import { memosOf, type WireTransaction } from './transaction.ts';

/** The memos of a transaction as RPC lists them; null without memos. */
export function memoText(transaction: WireTransaction): string | null {
  const memos = memosOf(transaction);
  return memos.length === 0 ? null : memos.map((memo) => `[${Buffer.byteLength(memo)}] ${memo}`).join('; ');
}

function tokenBalances({ tokens }: Holdings): Json {
  return [...tokens].map(([accountIndex, { mint, owner, amount }]) => ({
    accountIndex,
    mint,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: tokenAmount(amount),
  }));
}

function metaJson({ outcome, before, after }: Landed): JsonObject {
  return {
    computeUnitsConsumed: outcome.units,
    err: outcome.err,
    fee: outcome.fee,
    innerInstructions: [],
    loadedAddresses: { readonly: [], writable: [] },
    logMessages: outcome.logs,
    postBalances: after.lamports,
    postTokenBalances: tokenBalances(after),
    preBalances: before.lamports,
    preTokenBalances: tokenBalances(before),
    rewards: [],
    status: outcome.err === null ? { Ok: null } : { Err: outcome.err },
  };
}

function bodyJson({ wire, header, keys, blockhash, instructions, signatures }: WireTransaction, encoding: Json): Json {
  if (encoding === 'base64') return [Buffer.from(wire).toString('base64'), encoding];
  if (encoding === 'base58') return [bs58.encode(wire), encoding];
  const message = {
    accountKeys: keys,
    header: {
      numReadonlySignedAccounts: header.readonlySigners,
      numReadonlyUnsignedAccounts: header.readonlyOthers,
      numRequiredSignatures: header.signers,
    },
    instructions: instructions.map(({ programIndex, accounts, data }) => ({
      accounts,
      data: bs58.encode(data),
      programIdIndex: programIndex,
      stackHeight: 1,
    })),
    recentBlockhash: blockhash,
  };
  return { message, signatures: signatures.map((signature) => bs58.encode(signature ?? new Uint8Array(64))) };
}

/** A landed transaction as getTransaction returns it, its instructions never parsed. */
export function transactionJson(entry: Landed, encoding: Json): JsonObject {
  return {
    blockTime: Math.floor(entry.at / 1000),
    meta: metaJson(entry),
    slot: entry.slot,
    transaction: bodyJson(entry.transaction, encoding),
    version: entry.transaction.version,
  };
}
