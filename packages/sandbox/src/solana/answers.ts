import type { Cluster } from '../chain/addresses.ts';
import { isList, isObject, type Json, writeJson } from '../chain/json.ts';
import { type RpcCall, readCalls, refuse, respond, respondToBody } from '../chain/json-rpc.ts';
import { invalidParams, methodNotFound, RpcError } from '../chain/rpc-error.ts';
import type { Arrival } from './arrivals.ts';
import { DAS_METHODS } from './das.ts';
import { type Door, doorOf } from './doors.ts';
import type { ProviderFaultKnobs } from './faults.ts';
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

/** What the doors open to: a world per cluster, and the key that opens them. */
export interface Rooms {
  readonly worlds: Readonly<Record<Cluster, World>>;
  readonly key: string;
}

type RpcDoor = Extract<Door, { readonly kind: 'rpc' }>;
type WalletDoor = Extract<Door, { readonly kind: 'wallet' }>;

// Helius says with the status what the error says; Alchemy answers 200.
const STATUS_OF_CODE: Readonly<Record<number, number>> = {
  [-32602]: 400,
  [-32001]: 401,
  [-32003]: 403,
  [-32004]: 404,
  [-32029]: 429,
  [-32000]: 500,
  [-32603]: 500,
};
const HELIUS_CODES: Readonly<Record<number, number>> = {
  400: -32602,
  401: -32001,
  403: -32003,
  404: -32004,
  429: -32029,
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

function rpcError(door: RpcDoor, status: number, message: string, body: string): Answer {
  const code = door.provider === 'alchemy' ? alchemyCode(status) : (HELIUS_CODES[status] ?? -32000);
  return { status, text: refuse(new RpcError(code, message), idIn(body)).text };
}

async function answerCall({ method, params }: RpcCall, door: RpcDoor, world: World): Promise<Json> {
  const das = Object.hasOwn(DAS_METHODS, method) ? DAS_METHODS[method] : undefined;
  if (das) {
    // Some clients wrap the named parameters in a list of one.
    const named = isList(params) ? params[0] : params;
    if (!isObject(named)) {
      throw invalidParams('Invalid params: expected an object.');
    }
    return das(named, world);
  }
  if (!isList(params)) {
    throw invalidParams('Invalid params: invalid type: map, expected a sequence.');
  }
  if (method !== 'getTransactionsForAddress') {
    return answerRpc(method, params, world);
  }
  if (door.provider === 'alchemy') {
    throw methodNotFound();
  }
  return getTransactionsForAddress(params, world);
}

const retryAfterOf = ({ retryAfter }: ProviderFaultKnobs): Record<string, string> =>
  retryAfter === undefined ? {} : { 'retry-after': retryAfter };

async function answerJsonRpc(
  arrival: Arrival,
  door: RpcDoor,
  knobs: ProviderFaultKnobs,
  world: World,
): Promise<Answer> {
  const { body } = arrival;
  if (knobs.jsonRpcError) {
    const { code, message } = knobs.jsonRpcError;
    return { status: 200, headers: retryAfterOf(knobs), text: refuse(new RpcError(code, message), idIn(body)).text };
  }
  if (knobs.missingResult === true) {
    return { status: 200, text: writeJson({ jsonrpc: '2.0', id: idIn(body) }) };
  }
  const answer = (call: RpcCall) => answerCall(call, door, world);
  if (knobs.wrongId === true) {
    const [value = null] = readCalls(body).values;
    const strange = isObject(value) ? { ...value, id: 'the id of another call' } : value;
    return { status: 200, text: (await respond(strange, answer)).text };
  }
  const { text, refusal } = await respondToBody(body, answer);
  const status = door.provider === 'helius' && refusal ? (STATUS_OF_CODE[refusal.code] ?? 200) : 200;
  return { status, text };
}

async function answerWalletDoor(arrival: Arrival, door: WalletDoor, world: World): Promise<Answer> {
  const { method, body } = arrival;
  try {
    const { segments, query } = door;
    return { status: 200, text: writeJson(await answerWallet({ method, segments, query, body }, world)) };
  } catch (error) {
    return error instanceof WalletRefusal
      ? walletError(error.status, error.message, error.details)
      : walletError(500, 'Internal server error');
  }
}

function refusedAtDoor(door: Door, status: number, message: string, body: string): Answer {
  return door.kind === 'wallet' ? walletError(status, message) : rpcError(door, status, message, body);
}

/** Answers a request at the door it knocked at, with what the knobs put in its way. */
export async function answerDoor(arrival: Arrival, knobs: ProviderFaultKnobs, rooms: Rooms): Promise<Answer> {
  const door = doorOf(arrival);
  if (!door) {
    return walletError(404, 'Not found');
  }
  if (knobs.status !== undefined) {
    const message = knobs.message ?? MESSAGES[knobs.status] ?? 'Internal server error';
    return { ...refusedAtDoor(door, knobs.status, message, arrival.body), headers: retryAfterOf(knobs) };
  }
  if (knobs.body !== undefined) {
    return { status: 200, text: knobs.body };
  }
  if (door.key !== rooms.key) {
    const isAlchemy = door.kind === 'rpc' && door.provider === 'alchemy';
    const words = door.key === '' ? 'Missing API key' : 'Invalid API key';
    return refusedAtDoor(door, UNAUTHORIZED, isAlchemy ? 'Must be authenticated!' : words, arrival.body);
  }
  if (door.kind === 'wallet') {
    return answerWalletDoor(arrival, door, rooms.worlds.mainnet);
  }
  return arrival.method === 'POST'
    ? answerJsonRpc(arrival, door, knobs, rooms.worlds[door.cluster])
    : { status: 405, headers: { allow: 'POST' }, text: '{}' };
}
