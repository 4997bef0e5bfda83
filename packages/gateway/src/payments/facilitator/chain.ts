import { below, listAt, member, type Refusal } from '@asset-gateway/protocol';
import { Pool } from '../../pool.ts';
import { TIMES } from '../../times.ts';
import { unavailable } from '../refusals.ts';

const CONNECTIONS = 16;
/** The largest answer. It is four times a list of a thousand transactions with the longest memos. */
const MAX_BYTES = 8 * 1024 * 1024;
/** A blockhash is valid for this many blocks. */
const BLOCKHASH_BLOCKS = 150;
/**
 * How many blocks a payer's blockhash may be ahead of our final block. A payer may know a block some 32 blocks after the final one. Our
 * height may be a second old, which adds 3 blocks, and our node may be some blocks behind the others.
 */
const AHEAD_BLOCKS = 50;
/** If a transaction has not landed this many blocks after the block that was final before it was sent, it never lands. */
export const DEAD_AFTER_BLOCKS = BLOCKHASH_BLOCKS + AHEAD_BLOCKS;
/** The JSON-RPC code for a failed simulation before sending. */
const PREFLIGHT_FAILED = -32_002;
/** How many characters of the genesis hash a network's name has (CAIP-2). */
const GENESIS_LENGTH = 32;
/** How many transactions an RPC lists at once, at most. */
export const HISTORY = 1_000;

/** A final block. Its height is less than its chain slot, because some slots have no block. */
interface Finalized {
  readonly height: number;
  readonly chainSlot: number;
}

/** How far the chain's time of day may differ from ours, in milliseconds. */
export const SKEW_MS = 60_000;

/** What a node shows of a transaction. `seen`: the transaction is neither confirmed nor failed yet, and the chain may still drop it. */
export interface Sighting {
  readonly status: 'confirmed' | 'failed' | 'seen' | 'missing';
  /** The chain slot that the node had reached when it answered. */
  readonly chainSlot: number;
}

/** The chains by network. */
export type Chains = ReadonlyMap<string, Chain>;

/** A transaction of an account's history. */
export interface HistoryRow {
  readonly signature: string;
  readonly chainSlot: number;
  readonly hasFailed: boolean;
  /** The time of its block in milliseconds; 0 if unknown. */
  readonly atMs: number;
  readonly memos: readonly string[];
}

/** The part of a history to list. */
interface HistoryPage {
  readonly before?: string | undefined;
  readonly minChainSlot?: number | undefined;
}

const unusable = (what: string): Refusal => unavailable(`rpc: ${what}`);

/** Returns the memos of a transaction. An RPC lists them as `[32] text`, separated by `; `. */
const memosIn = (listed: unknown): string[] =>
  typeof listed === 'string' ? listed.split('; ').map((each) => each.slice(each.indexOf('] ') + 2)) : [];

/**
 * Reads a cluster, and sends transactions to it, through its RPC. Calls reject with `facilitator_unavailable` while the RPC is unavailable.
 */
export class Chain {
  readonly #pool: Pool;
  readonly #path: string;
  #finalized: { readonly askedAtMs: number; readonly answer: Promise<Finalized> } | undefined;
  #latest: Finalized = { height: 0, chainSlot: 0 };

  /** Each instance has its own connections, so that one purpose never delays another. */
  constructor(url: string, connections = CONNECTIONS) {
    const { origin, pathname, search } = new URL(url);
    this.#pool = new Pool(origin, { connections });
    this.#path = pathname + search;
  }

  async status(signature: string): Promise<Sighting> {
    const result = await this.#call('getSignatureStatuses', [[signature], { searchTransactionHistory: true }]);
    const values = member(result, 'value');
    const chainSlot = Number(below(result, 'context', 'slot'));
    if (!Array.isArray(values) || values.length !== 1) throw unusable('no status list');
    const [found] = values;
    if (found === null) return { status: 'missing', chainSlot };
    const error = member(found, 'err');
    const level = member(found, 'confirmationStatus');
    if (error === undefined) throw unusable('a status without err');
    if (level !== 'confirmed' && level !== 'finalized') return { status: 'seen', chainSlot };
    return { status: error === null ? 'confirmed' : 'failed', chainSlot };
  }

  /** Returns the latest final block that a node has shown, up to a second old. */
  finalized(): Promise<Finalized> {
    const nowMs = performance.now();
    if (this.#finalized && nowMs - this.#finalized.askedAtMs < TIMES.heightMs) return this.#finalized.answer;
    const answer = this.#readFinalized();
    this.#finalized = { askedAtMs: nowMs, answer };
    answer.catch(() => {
      this.#finalized = undefined;
    });
    return answer;
  }

  /**
   * Returns the latest transactions of an account, newest first. `before`: lists only transactions older than this one. `minChainSlot`: a
   * node that has not reached this slot must not answer.
   */
  async transactionsOf(account: string, { before, minChainSlot: minContextSlot }: HistoryPage = {}) {
    const page = { limit: HISTORY, before, minContextSlot, commitment: 'confirmed' };
    const rows = await this.#call('getSignaturesForAddress', [account, page]);
    if (!Array.isArray(rows)) throw unusable('no history');
    return rows.map(
      (row): HistoryRow => ({
        signature: String(member(row, 'signature')),
        chainSlot: Number(member(row, 'slot')),
        hasFailed: member(row, 'err') !== null,
        atMs: Number(member(row, 'blockTime') ?? 0) * 1_000,
        memos: memosIn(member(row, 'memo')),
      }),
    );
  }

  /** Returns a confirmed transaction as the RPC describes it; null if there is none. */
  transaction(signature: string, encoding: 'json' | 'base64' = 'json'): Promise<unknown> {
    const settings = { encoding, commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    return this.#call('getTransaction', [signature, settings]);
  }

  /** Returns the bytes of a confirmed transaction; undefined if there is none. */
  async transactionBytes(signature: string): Promise<Uint8Array | undefined> {
    const text = below(await this.transaction(signature, 'base64'), 'transaction', '0');
    return typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
  }

  /** Simulates a signed transaction. Returns its error as JSON text; undefined if it would succeed. */
  async simulate(transaction: string): Promise<string | undefined> {
    const settings = { encoding: 'base64', sigVerify: true, commitment: 'confirmed' };
    const error = below(await this.#call('simulateTransaction', [transaction, settings]), 'value', 'err');
    if (error === undefined) throw unusable('a simulation without err');
    return error === null ? undefined : JSON.stringify(error);
  }

  /**
   * Sends a signed transaction, after the node's own simulation. Returns `sent`, or a proof that this call has sent nothing: `error`, the
   * simulation's error as JSON text, or `unsent`, a failure in which no node got the request. Any other failure rejects and proves nothing.
   */
  async send(transaction: string): Promise<'sent' | { readonly error: string } | { readonly unsent: string }> {
    const settings = { encoding: 'base64', preflightCommitment: 'confirmed' };
    const json = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params: [transaction, settings] });
    let text: string;
    try {
      text = await this.post(json);
    } catch (error) {
      if (isUnsent(error)) return { unsent: `rpc sendTransaction: ${(error as Error).message}` };
      throw error;
    }
    const answer: unknown = JSON.parse(text);
    const failed = below(answer, 'error', 'data', 'err');
    if (below(answer, 'error', 'code') === PREFLIGHT_FAILED && failed) return { error: JSON.stringify(failed) };
    rpcResultOf(answer, 'sendTransaction');
    return 'sent';
  }

  /** Sends a transaction again that was sent before, without a simulation. */
  async resend(transaction: string): Promise<void> {
    await this.#call('sendTransaction', [transaction, { encoding: 'base64', skipPreflight: true, maxRetries: 0 }]);
  }

  /** Returns the CAIP-2 name of the network that this RPC reads, from its genesis hash. */
  async network(): Promise<string> {
    return `solana:${String(await this.#call('getGenesisHash', [])).slice(0, GENESIS_LENGTH)}`;
  }

  /** Returns the owner and the balance of an account; undefined if the account does not exist. */
  async account(address: string): Promise<{ readonly owner: string; readonly lamports: number } | undefined> {
    const value = member(await this.#call('getAccountInfo', [address, { encoding: 'base64' }]), 'value');
    const owner = member(value, 'owner');
    const lamports = member(value, 'lamports');
    return typeof owner === 'string' ? { owner, lamports: Number(lamports) } : undefined;
  }

  /** Returns how many token accounts a wallet has. */
  async tokenAccounts(owner: string, programId: string): Promise<number> {
    const result = await this.#call('getTokenAccountsByOwner', [owner, { programId }, { encoding: 'base64' }]);
    return listAt(result, 'value').length;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** Sends a JSON-RPC request. Returns the body of a 200; rejects after any other status. */
  async post(json: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const { status, text } = await this.#pool.request(
      { method: 'POST', path: this.#path, headers, body: json },
      { deadlineMs: TIMES.chainMs, maxBytes: MAX_BYTES },
    );
    if (status !== 200) throw Object.assign(new Error(`status ${status}`), { status });
    return text;
  }

  async #readFinalized(): Promise<Finalized> {
    const result = await this.#call('getLatestBlockhash', [{ commitment: 'finalized' }]);
    const chainSlot = below(result, 'context', 'slot');
    const last = below(result, 'value', 'lastValidBlockHeight');
    if (typeof last !== 'number' || typeof chainSlot !== 'number') throw unusable('no block height');
    // The answering node may be behind another one that has answered before.
    if (chainSlot > this.#latest.chainSlot) this.#latest = { height: last - BLOCKHASH_BLOCKS, chainSlot };
    return this.#latest;
  }

  async #call(method: string, params: readonly unknown[]): Promise<unknown> {
    const asked = this.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })).then(JSON.parse);
    const answer = await asked.catch((error: Error) => {
      throw unavailable(`rpc ${method}: ${error.message}`);
    });
    return rpcResultOf(answer, method);
  }
}

const UNCONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Statuses with which a provider rejects a request before it reaches a node. Other statuses, such as 408 and 499, do not prove that. */
const REJECTED = [400, 401, 403, 404, 405, 413, 415, 429];

/** Whether this failure proves that no node got the request. */
function isUnsent(error: unknown): boolean {
  const { code = '', status = 0 } = error as { code?: string; status?: number };
  return UNCONNECTED.includes(code) || REJECTED.includes(status);
}

function rpcResultOf(answer: unknown, method: string): unknown {
  const result = member(answer, 'result');
  if (result === undefined) throw unavailable(`rpc ${method}: code ${String(below(answer, 'error', 'code'))}`);
  return result;
}
