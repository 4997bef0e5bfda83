import type { Cluster } from '@asset-gateway/protocol';
import { isAddress } from '../chain/addresses.ts';
import { isList, isObject, type Json, writeJson } from '../chain/json.ts';
import { idIn, invalidParams, methodNotFound, type RpcCall, RpcError, refuse, respond } from '../chain/json-rpc.ts';
import type { Answer, Arrival, CommonKnobs } from '../upstream.ts';
import { exampleOf, rpcRowOf, walletRowOf } from './examples.ts';
import { answerWallet, isOnChain, type World } from './wallet.ts';

/** Faults of a provider; an unset knob is off. */
export interface ProviderFaultKnobs extends CommonKnobs {
  /** Answer 200 with exactly this text. */
  body?: string | undefined;
  /** Answer 200 with this JSON-RPC error. */
  jsonRpcError?: { readonly code: number; readonly message: string } | undefined;
  /** Answer a JSON-RPC call under another id. */
  wrongId?: boolean | undefined;
  /** Answer a JSON-RPC call with neither result nor error. */
  missingResult?: boolean | undefined;
}

/** The state of the endpoints: a world per cluster, and the valid key. */
export interface ProviderWorlds {
  readonly worlds: Readonly<Record<Cluster, World>>;
  readonly key: string;
}

/** The endpoint of a request: JSON-RPC of a provider, or the wallet API. */
type Endpoint =
  | { readonly kind: 'rpc'; readonly provider: 'helius' | 'alchemy'; readonly cluster: Cluster; readonly key: string }
  | { readonly kind: 'wallet'; readonly path: string; readonly key: string };
type RpcEndpoint = Extract<Endpoint, { readonly kind: 'rpc' }>;

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
const JSON_TYPE = { 'content-type': 'application/json' };
const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];

const jsonAnswer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  body,
});

const walletError = (status: number, error: string): Answer => jsonAnswer(status, writeJson({ error, code: status }));

/** The endpoint of a request, if any: `/v1/wallet/…`, `/<cluster>?api-key=…` of Helius, or `/<cluster>/v2/<key>` of Alchemy. */
function endpointOf({ target, headers }: Arrival): Endpoint | undefined {
  const { pathname: path, searchParams } = new URL(target, 'http://127.0.0.1');
  const header = headers['x-api-key'];
  const key = searchParams.get('api-key') ?? (typeof header === 'string' ? header : '');
  const [name, version, alchemyKey = ''] = path.split('/').slice(1);
  if (name === 'v1' && version === 'wallet') return { kind: 'wallet', path, key };
  const cluster = CLUSTERS.find((each) => each === name);
  if (cluster === undefined) return undefined;
  if (version === 'v2') return { kind: 'rpc', provider: 'alchemy', cluster, key: decodeURIComponent(alchemyKey) };
  return version ? undefined : { kind: 'rpc', provider: 'helius', cluster, key };
}

const alchemyCode = (status: number): number => (status === UNAUTHORIZED ? -32600 : status === 429 ? 429 : -32000);

function refusedAt(endpoint: Endpoint, status: number, message: string, body: string): Answer {
  if (endpoint.kind === 'wallet') return walletError(status, message);
  const code = endpoint.provider === 'alchemy' ? alchemyCode(status) : (HELIUS_CODES[status] ?? -32000);
  return jsonAnswer(status, refuse(new RpcError(code, message), idIn(body)).text);
}

const METHOD_NOT_FOUND = methodNotFound().code;

/** Answers a call from the chain; about an address that is not on it, with the example of the row. */
async function answerCall({ method, params }: RpcCall, endpoint: RpcEndpoint, world: World): Promise<Json> {
  if (method.startsWith('sandbox_')) throw methodNotFound();
  const row = rpcRowOf(endpoint, method);
  if (row?.surface === 'das') {
    const [asked, example] = [isList(params) ? params[0] : params, exampleOf(row)];
    return isObject(asked) && isObject(example) && asked.id ? { ...example, id: asked.id } : example;
  }
  if (!isList(params)) throw invalidParams('Invalid params: invalid type: map, expected a sequence.');
  const [address] = params;
  const isNamed = typeof address === 'string' && isAddress(address);
  if (row && isNamed && !(await isOnChain(address, world))) return exampleOf(row);
  return world.chain.answer(method, params).catch((error) => {
    if (row && error instanceof RpcError && error.code === METHOD_NOT_FOUND) return exampleOf(row);
    throw error;
  });
}

const retryAfterOf = ({ retryAfter }: ProviderFaultKnobs): Record<string, string> =>
  retryAfter === undefined ? {} : { 'retry-after': retryAfter };

async function answerJsonRpc(
  { body }: Arrival,
  endpoint: RpcEndpoint,
  knobs: ProviderFaultKnobs,
  world: World,
): Promise<Answer> {
  if (knobs.jsonRpcError) {
    const { code, message } = knobs.jsonRpcError;
    return jsonAnswer(200, refuse(new RpcError(code, message), idIn(body)).text, retryAfterOf(knobs));
  }
  if (knobs.missingResult === true) return jsonAnswer(200, writeJson({ jsonrpc: '2.0', id: idIn(body) }));
  const answer = (call: RpcCall) => answerCall(call, endpoint, world);
  const id = knobs.wrongId === true ? 'the id of another call' : idIn(body);
  const { text, refusal } = await respond(body, answer, id);
  return jsonAnswer(endpoint.provider === 'helius' && refusal ? (STATUS_OF_CODE[refusal.code] ?? 200) : 200, text);
}

async function answerWalletEndpoint({ method, body }: Arrival, path: string, world: World): Promise<Answer> {
  const found = walletRowOf({ method, path });
  const answer = found && (await answerWallet({ ...found, body }, world));
  return answer === undefined ? walletError(404, 'Not found') : jsonAnswer(200, writeJson(answer));
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
    const refused = refusedAt(endpoint, knobs.status, message, arrival.body);
    return { ...refused, headers: { ...refused.headers, ...retryAfterOf(knobs) } };
  }
  if (knobs.body !== undefined) return jsonAnswer(200, knobs.body);
  if (endpoint.key !== provider.key) return refusedAt(endpoint, UNAUTHORIZED, 'Invalid API key', arrival.body);
  if (endpoint.kind === 'wallet') return answerWalletEndpoint(arrival, endpoint.path, provider.worlds.mainnet);
  return arrival.method === 'POST'
    ? answerJsonRpc(arrival, endpoint, knobs, provider.worlds[endpoint.cluster])
    : jsonAnswer(405, '{}', { allow: 'POST' });
}
