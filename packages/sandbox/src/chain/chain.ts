import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from '@asset-gateway/protocol';
import { createFaults, listen, readBody, record, send } from '../upstream.ts';
import { createBank } from './bank.ts';
import { BLOCKHASH_LIFE } from './blocks.ts';
import type { ChainFaults } from './faults.ts';
import { isList, type Json } from './json.ts';
import { ConnectionLost, invalidParams, methodNotFound, type RpcCall, RpcError, respond } from './json-rpc.ts';
import { accountMethods } from './methods/accounts.ts';
import { historyMethods } from './methods/history.ts';
import { sendMethods } from './methods/send.ts';
import type { ChainNode, Method } from './node.ts';
import type { Transfer } from './token.ts';
import { createTreasury, faucetMethods, type Treasury } from './treasury.ts';

export type { Cluster } from '@asset-gateway/protocol';
export type { ChainFaultKnobs, ChainFaults, Lies, RefusedCall } from './faults.ts';
export type { Transfer } from './token.ts';

/** The cluster to simulate, the port (default: a free one), the clock in milliseconds and the length of a block. */
export interface ChainOptions {
  readonly cluster: Cluster;
  readonly port?: number;
  readonly now?: () => number;
  /** Milliseconds per block; default: 400. With `Infinity`, only transactions and `advanceBlocks` add blocks. */
  readonly blockMs?: number;
}

/** A received call; `at` is `performance.now()`. */
export interface ChainCall {
  readonly method: string;
  readonly at: number;
  readonly params: Json;
}

/** A running chain and its controls. */
export interface Chain extends Omit<Treasury, 'pay'> {
  readonly url: string;
  readonly cluster: Cluster;
  readonly usdcMint: string;
  readonly faults: ChainFaults;
  /** Every call received over HTTP, oldest first. */
  readonly calls: ChainCall[];
  /** The successful USDC transfers, in order. */
  readonly transfers: readonly Transfer[];
  lamports(address: string): bigint;
  /** Whether a wallet has had a token account. */
  isHolder(address: string): boolean;
  advanceBlocks(count: number): void;
  /** Answers a call in this process, without the network faults; throws the error of JSON-RPC. */
  answer(method: string, params: readonly Json[]): Promise<Json>;
  close(): Promise<void>;
}

type Answer = Chain['answer'];

const BLOCK_MS = 400;

const answerFrom =
  (methods: Readonly<Record<string, Method>>, node: ChainNode): Answer =>
  async (name, params) => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method) throw methodNotFound();
    return method(params, node);
  };

const isAffected = ({ only }: ChainFaults, method: string): boolean => only === undefined || only.has(method);

async function answerOverNetwork({ method, params }: RpcCall, faults: ChainFaults, answer: Answer): Promise<Json> {
  if (faults.delayMs !== undefined && isAffected(faults, method)) await wait(faults.delayMs, undefined, { ref: false });
  if (faults.hang?.has(method)) await new Promise<never>(() => {});
  const refused = faults.refuse?.[method];
  if (refused) throw new RpcError(refused.code, refused.message, refused.data);
  if (!isList(params)) throw invalidParams('Invalid params: invalid type: map, expected a sequence.');
  const result = await answer(method, params);
  if (method === 'sendTransaction' && faults.dropAfterBroadcast === true) throw new ConnectionLost();
  return result;
}

interface ChainServer {
  readonly faults: ChainFaults;
  readonly calls: ChainCall[];
  readonly answer: Answer;
}

async function handle(request: IncomingMessage, response: ServerResponse, chain: ChainServer): Promise<void> {
  const { faults, calls, answer } = chain;
  const body = await readBody(request);
  if (request.method !== 'POST') {
    send(response, { status: 405, body: 'Used HTTP Method is not allowed. POST is required' });
  } else {
    const methods: string[] = [];
    const { text } = await respond(body, (call) => {
      record(calls, { method: call.method, at: performance.now(), params: call.params });
      methods.push(call.method);
      return isDown(faults, call.method) ? Promise.resolve(null) : answerOverNetwork(call, faults, answer);
    });
    const status = methods.some((method) => isDown(faults, method)) ? faults.status : undefined;
    const headers = { 'content-type': 'application/json' };
    send(response, { status: status ?? 200, headers, body: status === undefined ? text : '{}' });
  }
}

const plainMethods = { ...accountMethods, ...historyMethods, ...sendMethods };

const isDown = (faults: ChainFaults, method: string): boolean =>
  faults.status !== undefined && isAffected(faults, method);

/** Starts a chain on 127.0.0.1: the real runtime and token program behind JSON-RPC, with USDC and fault knobs. */
export async function startChain(options: ChainOptions): Promise<Chain> {
  const { cluster, port = 0, now = Date.now, blockMs = BLOCK_MS } = options;
  const bank = createBank({ cluster, now, blockMs });
  const expireBlockhashes = () => bank.blocks.advance(BLOCKHASH_LIFE + 1n);
  const faults = createFaults<ChainFaults>({ expireBlockhashes });
  const treasury = createTreasury(bank);
  const methods = { ...plainMethods, ...faucetMethods(treasury) };
  const calls: ChainCall[] = [];
  const answer = answerFrom(methods, { bank, faults });
  const listener = await listen(port, (request, response) => handle(request, response, { faults, calls, answer }));
  const { createAta, fundUsdc, usdcBalance, airdrop } = treasury;
  return {
    ...listener,
    createAta,
    fundUsdc,
    usdcBalance,
    airdrop,
    cluster,
    usdcMint: bank.mint,
    faults,
    calls,
    transfers: bank.transfers,
    lamports: (address) => bank.svm.account(address)?.lamports ?? 0n,
    isHolder: (address) => bank.holders.has(address),
    advanceBlocks: (count) => bank.blocks.advance(BigInt(count)),
    answer,
  };
}
