import bs58 from 'bs58';
import { base58Bytes, TOKEN_PROGRAM } from '../addresses.ts';
import type { Holdings, Landed } from '../bank.ts';
import { BLOCKHASH_LIFE } from '../blocks.ts';
import type { Json, JsonObject } from '../json.ts';
import { invalidParams, RpcError } from '../json-rpc.ts';
import { type ChainNode, confirmationOf, isVisible, isVisibleAt, type Method, withContext } from '../node.ts';
import { addressAt, commitmentOf, configAt, integerOf, textAt, textsAt } from '../params.ts';
import { tokenAmount } from '../token.ts';
import { memosOf, type WireTransaction } from '../transaction.ts';

/** The memos of a transaction as RPC lists them; null without memos. */
function memoText(transaction: WireTransaction): string | null {
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
function transactionJson(entry: Landed, encoding: Json): JsonObject {
  return {
    blockTime: Math.floor(entry.at / 1000),
    meta: metaJson(entry),
    slot: entry.slot,
    transaction: bodyJson(entry.transaction, encoding),
    version: entry.transaction.version,
  };
}

const MAX_SIGNATURES = 1000;

function signatureIn(text: string): string {
  if (!base58Bytes(text, 64)) throw invalidParams('Invalid param: Invalid');
  return text;
}

function statusJson(entry: Landed, node: ChainNode): Json {
  const { err } = entry.outcome;
  const status = err === null ? { Ok: null } : { Err: err };
  const isYoung = node.faults.lie?.statusProcessed === true;
  const level = isYoung ? { confirmations: 0, confirmationStatus: 'processed' } : confirmationOf(entry, node);
  return { ...level, err, slot: entry.slot, status };
}

const invented = ({ bank }: ChainNode): Json => ({
  confirmations: 1,
  confirmationStatus: 'confirmed',
  err: null,
  slot: bank.blocks.slot('confirmed'),
  status: { Ok: null },
});

const getSignatureStatuses: Method = (params, node) => {
  const searchesHistory = configAt(params, 1).searchTransactionHistory === true;
  const { blocks } = node.bank;
  const value = textsAt(params, 0).map((text) => {
    const entry = node.bank.find(signatureIn(text));
    if (!entry && node.faults.lie?.statusConfirmed === true) return invented(node);
    const isRecent = entry !== undefined && blocks.confirmations(entry.slot) <= BLOCKHASH_LIFE;
    return entry && isVisible(entry, node) && (isRecent || searchesHistory) ? statusJson(entry, node) : null;
  });
  return withContext(node, 'processed', value);
};

const getTransaction: Method = (params, node) => {
  const config = configAt(params, 1);
  const commitment = commitmentOf(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  const entry = node.bank.find(signatureIn(textAt(params, 0)));
  if (!entry || !isVisibleAt(entry, node, commitment)) return null;
  const newest = integerOf(config, 'maxSupportedTransactionVersion') ?? -1;
  const { version } = entry.transaction;
  if (version !== 'legacy' && version > newest) {
    throw new RpcError(-32015, `Transaction version (${version}) is not supported by the requesting client.`);
  }
  return transactionJson(entry, config.encoding ?? 'json');
};

const getSignaturesForAddress: Method = (params, node) => {
  const address = addressAt(params, 0);
  const config = configAt(params, 1);
  const rows = node.bank.landed
    .filter((entry) => entry.transaction.keys.includes(address) && isVisibleAt(entry, node, commitmentOf(config)))
    .reverse()
    .map((entry) => ({
      blockTime: Math.floor(entry.at / 1000),
      confirmationStatus: confirmationOf(entry, node).confirmationStatus,
      err: entry.outcome.err,
      memo: memoText(entry.transaction),
      signature: entry.transaction.signature,
      slot: entry.slot,
    }));
  const place = (signature: Json) => rows.findIndex((row) => row.signature === signature);
  const [from, to] = [place(config.before ?? null) + 1, place(config.until ?? null)];
  const isUnknown = config.before !== undefined && from === 0;
  const limit = integerOf(config, 'limit') ?? MAX_SIGNATURES;
  return isUnknown ? [] : rows.slice(from, to === -1 ? undefined : to).slice(0, limit);
};

/** The methods about blocks and landed transactions. */
export const historyMethods: Readonly<Record<string, Method>> = {
  getLatestBlockhash(params, node) {
    const commitment = commitmentOf(configAt(params, 0));
    return withContext(node, commitment, { ...node.bank.blocks.latest(commitment) });
  },
  getBlockHeight: (params, { bank }) => bank.blocks.height(commitmentOf(configAt(params, 0))),
  getSlot: (params, { bank }) => bank.blocks.slot(commitmentOf(configAt(params, 0))),
  getSignatureStatuses,
  getTransaction,
  getSignaturesForAddress,
};
