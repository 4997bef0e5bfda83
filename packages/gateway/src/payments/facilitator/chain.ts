import { setTimeout as sleep } from 'node:timers/promises';
import { below, listAt, member, type Refusal } from '@asset-gateway/protocol';
import { Pool } from '../../pool.ts';
import { unavailable } from '../responses.ts';
import type { Processed } from './facilitator.ts';

const DEADLINE_MS = 5_000;
const CONNECTIONS = 16;
/** A blockhash is good for this many blocks. */
const BLOCKHASH_BLOCKS = 150;
/** After this many blocks a transaction that has not landed never will. */
export const DEAD_AFTER_BLOCKS = 200;
/** How long a height is reused. Blocks take 400 ms. */
const HEIGHT_MS = 1_000;
/** The most transactions that an RPC lists at once. */
export const HISTORY = 1_000;
/** A block that is final, and its slot: some slots have no block. */
interface Finalized {
  readonly height: number;
  readonly slot: number;
}

/** How far the chain's time of day may be from ours. */
export const SKEW_MS = 60_000;

/** What the chain shows of a transaction. `seen`: it is neither confirmed nor failed yet, and may still be dropped. */
export type ChainStatus = 'confirmed' | 'failed' | 'seen' | 'missing';

/** A transaction of an account's history. */
export interface HistoryRow {
  readonly signature: string;
  readonly slot: number;
  readonly hasFailed: boolean;
  /** The time of its block in milliseconds; 0 if unknown. */
  readonly atMs: number;
  readonly memos: readonly string[];
}

/** Which part of a history is listed. */
interface HistoryPage {
  readonly before?: string | undefined;
  readonly minSlot?: number | undefined;
}

const unusable = (what: string): Refusal => unavailable(`rpc: ${what}`);

/** An RPC lists the memos of a transaction as `[32] text`, separated by `; `. */
const memosIn = (listed: unknown): string[] =>
  typeof listed === 'string' ? listed.split('; ').map((each) => each.slice(each.indexOf('] ') + 2)) : [];

/** Reads a cluster through its RPC. Calls reject with `facilitator_unavailable` while the RPC is unavailable. */
export class Chain {
  readonly #pool: Pool;
  readonly #path: string;
  #finalized: { readonly askedAtMs: number; readonly answer: Promise<Finalized> } | undefined;

  /** Each instance has its own connections, so that one purpose never delays another. */
  constructor(url: string, connections = CONNECTIONS) {
    const { origin, pathname, search } = new URL(url);
    this.#pool = new Pool(origin, { connections });
    this.#path = pathname + search;
  }

  async status(signature: string): Promise<ChainStatus> {
    const result = await this.#call('getSignatureStatuses', [[signature], { searchTransactionHistory: true }]);
    const values = member(result, 'value');
    if (!Array.isArray(values) || values.length !== 1) throw unusable('no status list');
    const [status] = values;
    if (status === null) return 'missing';
    const [error, level] = [member(status, 'err'), member(status, 'confirmationStatus')];
    if (error === undefined) throw unusable('a status without err');
    if (level !== 'confirmed' && level !== 'finalized') return 'seen';
    return error === null ? 'confirmed' : 'failed';
  }

  /** Blocks up to this height are final. It may be a second old. */
  async finalizedHeight(): Promise<number> {
    return (await this.finalized()).height;
  }

  /** The latest final block. It may be a second old. */
  finalized(): Promise<Finalized> {
    const nowMs = performance.now();
    if (this.#finalized && nowMs - this.#finalized.askedAtMs < HEIGHT_MS) return this.#finalized.answer;
    const answer = this.#readFinalized();
    this.#finalized = { askedAtMs: nowMs, answer };
    answer.catch(() => {
      this.#finalized = undefined;
    });
    return answer;
  }

  /**
   * The latest transactions of an account, newest first. `before`: only transactions older than this one. `minSlot`: a node that has
   * not seen this slot must not answer.
   */
  async transactionsOf(account: string, { before, minSlot: minContextSlot }: HistoryPage = {}) {
    const page = { limit: HISTORY, before, minContextSlot, commitment: 'confirmed' };
    const rows = await this.#call('getSignaturesForAddress', [account, page]);
    if (!Array.isArray(rows)) throw unusable('no history');
    return rows.map(
      (row): HistoryRow => ({
        signature: String(member(row, 'signature')),
        slot: Number(member(row, 'slot')),
        hasFailed: member(row, 'err') !== null,
        atMs: Number(member(row, 'blockTime') ?? 0) * 1_000,
        memos: memosIn(member(row, 'memo')),
      }),
    );
  }

  /** A confirmed transaction as the RPC describes it; null if there is none. */
  transaction(signature: string, encoding: 'json' | 'base64' = 'json'): Promise<unknown> {
    const settings = { encoding, commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    return this.#call('getTransaction', [signature, settings]);
  }

  /** The bytes of a confirmed transaction; undefined if there is none. */
  async transactionBytes(signature: string): Promise<Uint8Array | undefined> {
    const text = below(await this.transaction(signature, 'base64'), 'transaction', '0');
    return typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
  }

  /** Sends a signed transaction to the network. */
  async send(transaction: string): Promise<void> {
    await this.#call('sendTransaction', [transaction, { encoding: 'base64', skipPreflight: true, maxRetries: 0 }]);
  }

  /** The owner and the balance of an account; undefined if it does not exist. */
  async account(address: string): Promise<{ readonly owner: string; readonly lamports: number } | undefined> {
    const value = member(await this.#call('getAccountInfo', [address, { encoding: 'base64' }]), 'value');
    const [owner, lamports] = [member(value, 'owner'), member(value, 'lamports')];
    return typeof owner === 'string' ? { owner, lamports: Number(lamports) } : undefined;
  }

  /** The number of token accounts of a wallet. */
  async tokenAccounts(owner: string, programId: string): Promise<number> {
    const result = await this.#call('getTokenAccountsByOwner', [owner, { programId }, { encoding: 'base64' }]);
    return listAt(result, 'value').length;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** Sends a JSON-RPC request and answers the body of a 200. */
  async post(json: string): Promise<string> {
    const { body, statusCode } = await this.#pool.request({
      method: 'POST',
      path: this.#path,
      headers: { 'content-type': 'application/json' },
      body: json,
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    return text;
  }

  async #readFinalized(): Promise<Finalized> {
    const result = await this.#call('getLatestBlockhash', [{ commitment: 'finalized' }]);
    const [slot, last] = [below(result, 'context', 'slot'), below(result, 'value', 'lastValidBlockHeight')];
    if (typeof last !== 'number' || typeof slot !== 'number') throw unusable('no block height');
    return { height: last - BLOCKHASH_BLOCKS, slot };
  }

  async #call(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      const answer: unknown = JSON.parse(await this.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
      const result = member(answer, 'result');
      if (result !== undefined) return result;
      throw new Error(`code ${String(below(answer, 'error', 'code'))}`);
    } catch (error) {
      throw unavailable(`rpc ${method}: ${(error as Error).message}`);
    }
  }
}

/** What has happened at the RPC during one call of the facilitator. */
export interface SimulationRun {
  /** Whether something was sent to the network. After that a failure proves nothing. */
  sent: boolean;
  /** A fault of the RPC, which is not the payment's. */
  fault?: string;
  /** Whether the fee payer cannot pay the fee, which is not the payment's fault either. */
  feePayerIsEmpty?: boolean;
  /** Whether the payment has landed already, as far as the simulation shows. */
  processed?: Processed;
  /** Whether the chain shows the transaction with an error. */
  failedOnChain?: boolean;
}

const YOUNG_BLOCKHASH_MS = 800;
const SIMULATED = 'Simulation failed: ';

/** Errors of the account that pays the fee, which is the transaction's first. */
const FEE_PAYER_ERRORS = new Set([
  '"AccountNotFound"',
  '"InsufficientFundsForFee"',
  '"InvalidAccountForFee"',
  '{"InsufficientFundsForRent":{"account_index":0}}',
]);

/** Errors of a transaction that has landed: the second one after its blockhash has expired. */
const PROCESSED_ERRORS: ReadonlyMap<string, Processed> = new Map([
  ['"AlreadyProcessed"', 'yes'],
  ['"BlockhashNotFound"', 'maybe'],
]);

/** Simulates, again if the RPC does not know the blockhash yet, and notes what a failure means. */
export async function simulate(once: () => Promise<void>, run: SimulationRun): Promise<void> {
  try {
    await once().catch(async (error: Error) => {
      if (error.message !== `${SIMULATED}"BlockhashNotFound"`) throw error;
      await sleep(YOUNG_BLOCKHASH_MS);
      await once();
    });
  } catch (error) {
    const { message } = error as Error;
    const reason = message.startsWith(SIMULATED) ? message.slice(SIMULATED.length) : undefined;
    if (reason === undefined) run.fault = 'the RPC could not simulate';
    else if (FEE_PAYER_ERRORS.has(reason)) run.feePayerIsEmpty = true;
    else run.processed = PROCESSED_ERRORS.get(reason) ?? 'no';
    throw error;
  }
}
