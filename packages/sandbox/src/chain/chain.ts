import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from '@asset-gateway/protocol';
import { createFaults, jsonAnswer, listen, readBody, record, send } from '../upstream.ts';
import { Bank } from './bank.ts';
import { BLOCKHASH_LIFE } from './blocks.ts';
import type { ChainFaults } from './faults.ts';
import { invalidParams, methodNotFound, type RpcCall, RpcError, respond } from './json-rpc.ts';
import { accountMethods } from './methods/accounts.ts';
import { historyMethods } from './methods/history.ts';
import { sendMethods } from './methods/send.ts';
import type { Methods } from './node.ts';
import type { Params } from './params.ts';
import type { Transfer } from './token.ts';
import { createTreasury, faucetMethods } from './treasury.ts';

export type { ChainFaultKnobs } from './faults.ts';

/** The cluster to simulate, the port (default: a free one), the clock in milliseconds, and the length of a block. */
interface ChainOptions {
  readonly cluster: Cluster;
  readonly port?: number;
  readonly now?: () => number;
  /** Milliseconds per block; default: 400. With `Infinity`, only transactions and `advanceBlocks` add blocks. */
  readonly blockMs?: number;
}

/** A received call; `at` is `performance.now()`. */
export interface ChainCall extends RpcCall {
  readonly at: number;
}

/** A running chain and its controls. */
export type Chain = Awaited<ReturnType<typeof startChain>>;

const BLOCK_MS = 400;

interface ChainServer {
  readonly faults: ChainFaults;
  readonly calls: ChainCall[];
  readonly answer: (method: string, params: Params) => Promise<unknown>;
}

async function handle(request: IncomingMessage, response: ServerResponse, chain: ChainServer): Promise<void> {
  const { faults, calls, answer } = chain;
  const body = await readBody(request);
  if (request.method !== 'POST') {
    send(response, { status: 405, body: 'Used HTTP Method is not allowed. POST is required' });
    return;
  }
  let status: number | undefined;
  let isLost = false;
  const { text, refusal } = await respond(body, async ({ method, params }) => {
    record(calls, { method, at: performance.now(), params });
    const isAffected = faults.only?.has(method) ?? true;
    if (isAffected) status = faults.status;
    if (status !== undefined) return null;
    if (isAffected && faults.delayMs !== undefined) await wait(faults.delayMs, undefined, { ref: false });
    if (faults.hang?.has(method)) await new Promise<never>(() => {});
    const refused = faults.refuse?.[method];
    if (refused) throw new RpcError(refused.code, refused.message, refused.data);
    if (!Array.isArray(params)) throw invalidParams('Invalid params: invalid type: map, expected a sequence.');
    isLost = faults.dropAfterBroadcast === true && method === 'sendTransaction';
    return answer(method, params);
  });
  if (isLost && !refusal) throw new Error('the connection closes without an answer');
  send(response, jsonAnswer(status ?? 200, status === undefined ? text : '{}'));
}

/** Starts a chain on 127.0.0.1: the real runtime and token program behind JSON-RPC, with USDC and fault knobs. */
export async function startChain({ cluster, port = 0, now = Date.now, blockMs = BLOCK_MS }: ChainOptions) {
  const bank = new Bank({ cluster, now, blockMs });
  const { blocks, holders, mint: usdcMint, svm } = bank;
  const faults = createFaults<ChainFaults>({ expireBlockhashes: () => blocks.advance(BLOCKHASH_LIFE + 1n) });
  const treasury = createTreasury(bank);
  const methods: Methods = { ...accountMethods, ...historyMethods, ...sendMethods, ...faucetMethods(bank, treasury) };
  const calls: ChainCall[] = [];
  /** Answers a call in this process, without network faults. Throws JSON-RPC's error. */
  const answer = async (name: string, params: Params): Promise<unknown> => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method) throw methodNotFound();
    return method(params, { bank, faults });
  };
  const listener = await listen(port, (request, response) => handle(request, response, { faults, calls, answer }));
  const transfers: readonly Transfer[] = bank.transfers;
  return {
    ...listener,
    ...treasury,
    cluster,
    usdcMint,
    faults,
    /** Every call received over HTTP, oldest first. */
    calls,
    /** The successful USDC transfers, in order. */
    transfers,
    answer,
    lamports: (address: string): bigint => svm.account(address)?.lamports ?? 0n,
    /** Whether a wallet has had a token account. */
    isHolder: (address: string): boolean => holders.has(address),
    advanceBlocks: (count: number): void => blocks.advance(BigInt(count)),
  };
}
