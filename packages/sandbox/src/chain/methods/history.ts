import { decodeBase58 } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { TOKEN_PROGRAM } from '../addresses.ts';
import type { Holdings, Landed } from '../bank.ts';
import { BLOCKHASH_LIFE, type Commitment } from '../blocks.ts';
import { invalidParams, RpcError } from '../json-rpc.ts';
import { atSlot, type ChainNode, type Methods, withContext } from '../node.ts';
import { addressAt, commitmentOf, configAt, integerOf, textAt, textsAt } from '../params.ts';
import { tokenAmount } from '../token.ts';
import { EMPTY_SIGNATURE, memosOf, type WireTransaction } from '../transaction.ts';

/** Returns a transaction's memos as RPC lists them; null without memos. */
function memoText(transaction: WireTransaction): string | null {
  const memos = memosOf(transaction);
  return memos.length === 0 ? null : memos.map((memo) => `[${Buffer.byteLength(memo)}] ${memo}`).join('; ');
}

const statusOf = (err: unknown) => (err === null ? { Ok: null } : { Err: err });

const tokenBalances = ({ tokens }: Holdings) =>
  [...tokens].map(([accountIndex, { mint, owner, amount }]) => ({
    accountIndex,
    mint,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: tokenAmount(amount),
  }));

const metaJson = ({ outcome, before, after }: Landed) => ({
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
  status: statusOf(outcome.err),
});

/** Returns a transaction in the requested encoding. Its instructions are never parsed. */
function bodyJson({ wire, message, signatures }: WireTransaction, encoding: unknown) {
  if (encoding === 'base64') return [Buffer.from(wire).toString('base64'), encoding];
  if (encoding === 'base58') return [bs58.encode(wire), encoding];
  const { header, staticAccounts, instructions, lifetimeToken } = message;
  return {
    message: {
      accountKeys: staticAccounts,
      header: {
        numReadonlySignedAccounts: header.numReadonlySignerAccounts,
        numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
        numRequiredSignatures: header.numSignerAccounts,
      },
      instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
        accounts: accountIndices,
        data: bs58.encode([...data]),
        programIdIndex: programAddressIndex,
        stackHeight: 1,
      })),
      recentBlockhash: lifetimeToken,
    },
    signatures: signatures.map((signature) => bs58.encode(signature ?? EMPTY_SIGNATURE)),
  };
}

/** Returns the slot of the node that answers about landed transactions. */
const reachedSlot = ({ bank, faults }: ChainNode, commitment: Commitment): bigint =>
  bank.blocks.slot(commitment) - BigInt(faults.lie?.slotsBehind ?? 0);

/** Whether the node shows a landed transaction. */
const isVisible = (entry: Landed, node: ChainNode): boolean =>
  node.faults.lie?.statusMissing !== true &&
  node.bank.blocks.now() >= entry.at + (node.faults.confirmAfterMs ?? 0) &&
  entry.slot <= reachedSlot(node, 'processed');

const isVisibleAt = (entry: Landed, node: ChainNode, commitment: Commitment): boolean =>
  isVisible(entry, node) && entry.slot <= reachedSlot(node, commitment);

function assertReached(minSlot: number | undefined, slot: bigint): void {
  if (minSlot === undefined || slot >= minSlot) return;
  throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: Number(slot) });
}

function confirmationOf(entry: Landed, { bank: { blocks } }: ChainNode) {
  const isFinal = entry.slot <= blocks.slot('finalized');
  return {
    confirmations: isFinal ? null : blocks.confirmations(entry.slot),
    confirmationStatus: isFinal ? 'finalized' : 'confirmed',
  };
}

const MAX_SIGNATURES = 1000;

function signatureIn(text: string): string {
  if (!decodeBase58(text, 64)) throw invalidParams('Invalid param: Invalid');
  return text;
}

function signatureStatus(entry: Landed | undefined, searchesHistory: boolean, node: ChainNode) {
  const { blocks } = node.bank;
  const { lie } = node.faults;
  if (!entry) {
    const invented = { confirmations: 1, confirmationStatus: 'confirmed', err: null };
    return lie?.statusConfirmed === true
      ? { ...invented, slot: blocks.slot('confirmed'), status: statusOf(null) }
      : null;
  }
  const isRecent = blocks.confirmations(entry.slot) <= BLOCKHASH_LIFE;
  if (!isVisible(entry, node) || !(isRecent || searchesHistory)) return null;
  const { err } = entry.outcome;
  const isYoung = lie?.statusProcessed === true;
  const level = isYoung ? { confirmations: 0, confirmationStatus: 'processed' } : confirmationOf(entry, node);
  return { ...level, err, slot: entry.slot, status: statusOf(err) };
}

/** Methods about blocks and landed transactions. */
export const historyMethods: Methods = {
  getLatestBlockhash: atSlot(0, (_, config, { bank }) => bank.blocks.latest(commitmentOf(config))),
  getBlockHeight: (params, { bank }) => bank.blocks.height(commitmentOf(configAt(params, 0))),
  getGenesisHash: (_, { bank }) => bank.blocks.genesis,
  getSlot: (params, { bank }) => bank.blocks.slot(commitmentOf(configAt(params, 0))),
  getSignatureStatuses(params, node) {
    const searchesHistory = configAt(params, 1).searchTransactionHistory === true;
    const signatures = textsAt(params, 0).map(signatureIn);
    const value = signatures.map((each) => signatureStatus(node.bank.find(each), searchesHistory, node));
    return withContext(node, 'processed', value, reachedSlot(node, 'processed'));
  },
  getTransaction(params, node) {
    const config = configAt(params, 1);
    const commitment = commitmentOf(config);
    if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
    const entry = node.bank.find(signatureIn(textAt(params, 0)));
    if (!entry || !isVisibleAt(entry, node, commitment)) return null;
    const newest = integerOf(config, 'maxSupportedTransactionVersion') ?? -1;
    const { version } = entry.transaction.message;
    if (version !== 'legacy' && version > newest) {
      throw new RpcError(-32015, `Transaction version (${version}) is not supported by the requesting client.`);
    }
    return {
      blockTime: Math.floor(entry.at / 1000),
      meta: metaJson(entry),
      slot: entry.slot,
      transaction: bodyJson(entry.transaction, config.encoding),
      version,
    };
  },
  getSignaturesForAddress(params, node) {
    const address = addressAt(params, 0);
    const config = configAt(params, 1);
    assertReached(integerOf(config, 'minContextSlot'), reachedSlot(node, commitmentOf(config)));
    const rows = node.bank.landed
      .filter(({ transaction }) => transaction.message.staticAccounts.some((key) => key === address))
      .filter((entry) => isVisibleAt(entry, node, commitmentOf(config)))
      .reverse()
      .map((entry) => ({
        blockTime: Math.floor(entry.at / 1000),
        confirmationStatus: confirmationOf(entry, node).confirmationStatus,
        err: entry.outcome.err,
        memo: memoText(entry.transaction),
        signature: entry.transaction.signature,
        slot: entry.slot,
      }));
    const place = (signature: unknown) => rows.findIndex((row) => row.signature === signature);
    const [from, to] = [place(config.before) + 1, place(config.until)];
    const isUnknown = config.before !== undefined && from === 0;
    const limit = integerOf(config, 'limit') ?? MAX_SIGNATURES;
    return isUnknown ? [] : rows.slice(from, to === -1 ? undefined : to).slice(0, limit);
  },
};
