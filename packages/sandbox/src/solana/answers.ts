import type { Cluster } from '@asset-gateway/protocol';
import { isList, isObject, type Json, writeJson } from '../chain/json.ts';
import {
  invalidParams,
  methodNotFound,
  type RpcCall,
  RpcError,
  readCalls,
  refuse,
  respond,
  respondToBody,
} from '../chain/json-rpc.ts';
import { DAS_METHODS } from './das.ts';
import { type Arrival, type Endpoint, endpointOf, type ProviderFaultKnobs } from './endpoints.ts';
import { exampleOf, rpcRowOf } from './examples.ts';
import { answerRpc } from './rpc.ts';
import { getTransactionsForAddress } from './transactions-for-address.ts';
import { answerWallet } from './wallet.ts';
import { WalletRefusal } from './wallet-query.ts';
import type { World } from './world.ts';

/** An answer before it is written. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The state of the endpoints: a world per cluster, and the valid key. */
export interface ProviderWorlds {
  readonly worlds: Readonly<Record<Cluster, World>>;
  readonly key: string;
}

type RpcEndpoint = Extract<Endpoint, { readonly kind: 'rpc' }>;
type WalletEndpoint = Extract<Endpoint, { readonly kind: 'wallet' }>;

const HELIUS_CODES: Readonly<Record<number, number>> = {
  400: -32602,
  401: -32001,
  403: -32003,
  404: -32004,
  429: -32029,
};
// Helius sets a status for each error code; Alchemy answers 200.
const STATUS_OF_CODE: Readonly<Record<number, number>> = {
  ...Object.fromEntries(Object.entries(HELIUS_CODES).map(([status, code]) => [code, Number(status)])),
  [-32000]: 500,
  [-32603]: 500,
};
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Invalid API key',
  403: 'Forbidden',
  404: 'Not found',
  429: 'Rate limit exceeded',
  503: 'Service unavailable',
};
const UNAUTHORIZED = 401;

const walletError = (status: number, error: string, details?: string): Answer => ({
  status,
  text: writeJson({ error, code: status, details }),
});

function idIn(body: string): Json {
  try {
    const [value = null] = readCalls(body).values;
    return isObject(value) ? (value.id ?? null) : null;
  } catch {
    return null;
  }
}

const alchemyCode = (status: number): number => (status === UNAUTHORIZED ? -32600 : status === 429 ? 429 : -32000);

function rpcError(endpoint: RpcEndpoint, status: number, message: string, body: string): Answer {
  const code = endpoint.provider === 'alchemy' ? alchemyCode(status) : (HELIUS_CODES[status] ?? -32000);
  return { status, text: refuse(new RpcError(code, message), idIn(body)).text };
}

const METHOD_NOT_FOUND = methodNotFound().code;

async function answerCall({ method, params }: RpcCall, endpoint: RpcEndpoint, world: World): Promise<Json> {
  const das = Object.hasOwn(DAS_METHODS, method) ? DAS_METHODS[method] : undefined;
  if (das) {
    // Some clients wrap the named parameters in a list of one.
    const named = isList(params) ? params[0] : params;
    if (!isObject(named)) throw invalidParams('Invalid params: expected an object.');
    return das(named, world);
  }
  const row = rpcRowOf(endpoint, method);
  if (row?.surface === 'das') return exampleOf(row);
  if (!isList(params)) throw invalidParams('Invalid params: invalid type: map, expected a sequence.');
  if (method !== 'getTransactionsForAddress') {
    return answerRpc(method, params, world).catch((error) => {
      if (row && error instanceof RpcError && error.code === METHOD_NOT_FOUND) return exampleOf(row);
      throw error;
    });
  }
  if (endpoint.provider === 'alchemy') throw methodNotFound();
  return getTransactionsForAddress(params, world);
}

const retryAfterOf = ({ retryAfter }: ProviderFaultKnobs): Record<string, string> =>
  retryAfter === undefined ? {} : { 'retry-after': retryAfter };

async function answerJsonRpc(
  arrival: Arrival,
  endpoint: RpcEndpoint,
  knobs: ProviderFaultKnobs,
  world: World,
): Promise<Answer> {
  const { body } = arrival;
  if (knobs.jsonRpcError) {
    const { code, message } = knobs.jsonRpcError;
    return { status: 200, headers: retryAfterOf(knobs), text: refuse(new RpcError(code, message), idIn(body)).text };
  }
  if (knobs.missingResult === true) return { status: 200, text: writeJson({ jsonrpc: '2.0', id: idIn(body) }) };
  const answer = (call: RpcCall) => answerCall(call, endpoint, world);
  if (knobs.wrongId === true) {
    const [value = null] = readCalls(body).values;
    const changed = isObject(value) ? { ...value, id: 'the id of another call' } : value;
    return { status: 200, text: (await respond(changed, answer)).text };
  }
  const { text, refusal } = await respondToBody(body, answer);
  const status = endpoint.provider === 'helius' && refusal ? (STATUS_OF_CODE[refusal.code] ?? 200) : 200;
  return { status, text };
}

async function answerWalletEndpoint(arrival: Arrival, endpoint: WalletEndpoint, world: World): Promise<Answer> {
  const { method, body } = arrival;
  try {
    const { segments, query } = endpoint;
    return { status: 200, text: writeJson(await answerWallet({ method, segments, query, body }, world)) };
  } catch (error) {
    return error instanceof WalletRefusal
      ? walletError(error.status, error.message, error.details)
      : walletError(500, 'Internal server error');
  }
}

function refusedAt(endpoint: Endpoint, status: number, message: string, body: string): Answer {
  return endpoint.kind === 'wallet' ? walletError(status, message) : rpcError(endpoint, status, message, body);
}

/** Answers a request like its endpoint, or with the faults of the knobs. */
export async function answerEndpoint(
  arrival: Arrival,
  knobs: ProviderFaultKnobs,
  provider: ProviderWorlds,
): Promise<Answer> {
  const endpoint = endpointOf(arrival);
  if (!endpoint) return walletError(404, 'Not found');
  if (knobs.status !== undefined) {
    const message = knobs.message ?? MESSAGES[knobs.status] ?? 'Internal server error';
    return { ...refusedAt(endpoint, knobs.status, message, arrival.body), headers: retryAfterOf(knobs) };
  }
  if (knobs.body !== undefined) return { status: 200, text: knobs.body };
  if (endpoint.key !== provider.key) {
    const isAlchemy = endpoint.kind === 'rpc' && endpoint.provider === 'alchemy';
    const message = endpoint.key === '' ? 'Missing API key' : 'Invalid API key';
    return refusedAt(endpoint, UNAUTHORIZED, isAlchemy ? 'Must be authenticated!' : message, arrival.body);
  }
  if (endpoint.kind === 'wallet') return answerWalletEndpoint(arrival, endpoint, provider.worlds.mainnet);
  return arrival.method === 'POST'
    ? answerJsonRpc(arrival, endpoint, knobs, provider.worlds[endpoint.cluster])
    : { status: 405, headers: { allow: 'POST' }, text: '{}' };
}
