import {
  ADDRESS_PATTERN,
  BLOCKHASH_BLOCKS,
  below,
  clusterOfNetwork,
  listAt,
  member,
  objectAt,
  oneLine,
  readBytes,
  textAt,
  USDC,
} from '@asset-gateway/protocol/wire';
import { race } from './deadline.ts';
import { tokenAccount } from './payment-check.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;
const MAX_TRIES = 5;
const MAX_PAUSE_SECONDS = 5;

/** Access to a Solana RPC for one read. */
export interface RpcAccess {
  /** The URL of the RPC. */
  readonly rpcUrl: string;
  /** Aborts the read. */
  readonly signal: AbortSignal;
}

/** The error for a Solana RPC that answers without a usable result. */
export class RpcError extends Error {
  /** The HTTP status of the answer. */
  readonly status: number;

  /**
   * @param message the RPC's own message, or what is missing
   * @param status the HTTP status of the answer
   */
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Returns how many seconds an RPC asks to wait, if that is short. */
function pauseSeconds({ status, headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after'));
  return status === 429 && seconds > 0 && seconds <= MAX_PAUSE_SECONDS ? seconds : undefined;
}

/** Posts JSON. After a 429 it posts again when `Retry-After` is over, and adds a longer margin each time. Each answer has a time limit. */
async function post({ rpcUrl, signal }: RpcAccess, body: string): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const headers = { 'Content-Type': 'application/json' };
    const ends = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // A redirect has no result.
    const response = await fetch(rpcUrl, { method: 'POST', headers, body, redirect: 'manual', signal: ends });
    const seconds = pauseSeconds(response);
    if (seconds === undefined || tries === MAX_TRIES) return response;
    await response.body?.cancel();
    const ms = (seconds + Math.random()) * 1_000;
    await race(signal, new Promise((over) => setTimeout(over, ms)));
  }
}

/** Returns the result of a JSON-RPC call. Limits time and size, because x402's scheme does not. */
async function read(access: RpcAccess, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await post(access, body);
  const answer: unknown = JSON.parse(new TextDecoder().decode(await readBytes(response.body, MAX_BYTES)));
  const result = member(answer, 'result');
  if (result !== undefined) return result;
  const reason = oneLine(below(answer, 'error', 'message') ?? member(answer, 'message'), 200);
  throw new RpcError(reason || `the RPC answers ${response.status} without a result of ${method}`, response.status);
}

/** Returns a whole number that JavaScript represents exactly. Throws for anything else. */
function integer(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new RpcError('the RPC answers without a number', 200);
}

/** Returns the latest blockhash at a commitment, its block's slot, and the last block for which it is valid. */
async function blockhashAt(access: RpcAccess, commitment: 'confirmed' | 'finalized') {
  const result = await read(access, 'getLatestBlockhash', [{ commitment }]);
  const { blockhash, lastValidBlockHeight } = objectAt(result, 'value');
  if (typeof blockhash !== 'string' || !ADDRESS_PATTERN.test(blockhash))
    throw new RpcError('the RPC answers without a blockhash', 200);
  return {
    blockhash,
    slot: integer(below(result, 'context', 'slot')),
    lastValidBlockHeight: integer(lastValidBlockHeight),
  };
}

/** Returns a blockhash for a new transaction. */
export const latestBlockhash = (access: RpcAccess) => blockhashAt(access, 'confirmed');

/** Returns the newest final block: its height and its slot. */
export async function finalizedBlock(access: RpcAccess): Promise<{ readonly height: number; readonly slot: number }> {
  const { slot, lastValidBlockHeight } = await blockhashAt(access, 'finalized');
  return { slot, height: lastValidBlockHeight - BLOCKHASH_BLOCKS };
}

/** Throws unless the RPC serves this network. A network's CAIP-2 id is the beginning of its genesis hash. */
export async function assertNetwork(access: RpcAccess, network: string): Promise<void> {
  const genesis = await read(access, 'getGenesisHash', []);
  if (typeof genesis !== 'string' || !`solana:${genesis}`.startsWith(network))
    throw new RpcError('the RPC is one of another network', 200);
}

/** How many transactions `transactionsOf` lists. */
export const LISTED_TRANSACTIONS = 100;

/**
 * Returns the newest finalized transactions of an account, newest first. Their node has reached the slot; a slower node returns an error. A
 * memo has RPC's form, such as `[5] hello`; undefined if there is none.
 */
export async function transactionsOf(access: RpcAccess, account: string, minContextSlot: number) {
  const config = { commitment: 'finalized', limit: LISTED_TRANSACTIONS, minContextSlot };
  const rows = await read(access, 'getSignaturesForAddress', [account, config]);
  if (!Array.isArray(rows)) throw new RpcError('the RPC answers without transactions', 200);
  return rows.map((row: unknown) => ({
    slot: integer(member(row, 'slot')),
    hasFailed: (member(row, 'err') ?? null) !== null,
    memo: textAt(row, 'memo') || undefined,
  }));
}

/** Where the amount is in the data of a token account, in bytes. */
const AMOUNT = { offset: 64, length: 8 };

/** Decodes a token account's amount: eight little-endian bytes. An address without a token account holds 0. */
function amountIn(account: unknown): number {
  const [data = ''] = listAt(account, 'data');
  const bytes = [...atob(String(data))];
  if (bytes.length !== 0 && bytes.length !== AMOUNT.length)
    throw new RpcError('the RPC answers without a balance', 200);
  return bytes.reduceRight((sum, unit) => sum * 256 + unit.charCodeAt(0), 0);
}

/** Reads accounts. From a token account, only its amount. */
async function accountsAt(access: RpcAccess, addresses: readonly string[]): Promise<readonly unknown[]> {
  const config = { commitment: 'confirmed', encoding: 'base64', dataSlice: AMOUNT };
  const accounts = listAt(await read(access, 'getMultipleAccounts', [addresses, config]), 'value');
  if (accounts.length !== addresses.length) throw new RpcError('the RPC answers without a balance', 200);
  return accounts;
}

const usdcAccount = (owner: string, network: string): Promise<string> =>
  tokenAccount(owner, USDC[clusterOfNetwork(network)]);

/** Returns a wallet's USDC on a network (CAIP-2), in millionths. */
export async function usdcOf(access: RpcAccess, owner: string, network: string): Promise<number> {
  const [token] = await accountsAt(access, [await usdcAccount(owner, network)]);
  return amountIn(token);
}

/**
 * Reads the balances of a wallet.
 * @param access the RPC
 * @param owner the wallet's address in base58
 * @param network the network of the RPC (CAIP-2)
 * @returns billionths of a SOL and millionths of a USDC
 * @throws RpcError if the RPC answers without balances, and the error of `fetch` if it does not answer
 */
export async function balancesOf(access: RpcAccess, owner: string, network: string) {
  const [own, token] = await accountsAt(access, [owner, await usdcAccount(owner, network)]);
  return { lamports: Number(member(own, 'lamports') ?? 0), usdcMicros: amountIn(token) };
}
