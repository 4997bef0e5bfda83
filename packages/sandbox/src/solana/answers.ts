import { type Cluster, isAddress, isObject, losslessJson, type Route, routes } from '@asset-gateway/protocol';
import type { Chain } from '../chain/chain.ts';
import { idIn, invalidParams, methodNotFound, type RpcCall, RpcError, refuse, respond } from '../chain/json-rpc.ts';
import { accountMethods } from '../chain/methods/accounts.ts';
import { upstreamRows } from '../rows.ts';
import { type Answer, type Arrival, type CommonKnobs, jsonAnswer, retryAfterOf } from '../upstream.ts';
import { answerWallet, hasHistory, type WalletMarket } from './wallet.ts';

/** A provider's faults. Undefined knobs are off. */
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

/** The served chains, the valid key, and the clock for prices in milliseconds. */
export interface Served {
  readonly chains: Readonly<Record<Cluster, Chain>>;
  readonly key: string;
  readonly marketNow: () => number;
}

/** The endpoint of a request: a provider's JSON-RPC on a cluster, or the wallet API. */
interface Endpoint {
  readonly kind: 'helius' | 'alchemy' | 'wallet';
  readonly cluster: Cluster;
  readonly key: string;
}

/** Helius' codes, and the messages of both providers, by HTTP status. */
const REFUSALS: Readonly<Record<number, readonly [code: number, message: string]>> = {
  400: [-32602, 'Bad request'],
  401: [-32001, 'Invalid API key'],
  403: [-32003, 'Forbidden'],
  404: [-32004, 'Not found'],
  429: [-32029, 'Rate limit exceeded'],
  503: [-32000, 'Service unavailable'],
};
const FAILED = [-32000, -32603];
const ALCHEMY_CODES: Readonly<Record<number, number>> = { 401: -32600, 429: 429 };

/** Returns the HTTP status that Helius sets for an error code. Alchemy answers 200. */
function heliusStatus(code: number): number {
  const found = Object.entries(REFUSALS).find(([, [each]]) => each === code);
  return FAILED.includes(code) ? 500 : Number(found?.[0] ?? 200);
}

const walletError = (status: number, error: string): Answer =>
  jsonAnswer(status, losslessJson({ error, code: status }));

/** Returns the endpoint of a request, if any: `/v1/wallet/…`, Helius' `/<cluster>?api-key=…`, or Alchemy's `/<cluster>/v2/<key>`. */
function endpointOf({ pathname, searchParams }: URL, { headers }: Arrival): Endpoint | undefined {
  const key = searchParams.get('api-key') ?? String(headers['x-api-key'] ?? '');
  const [name, version, alchemyKey = ''] = pathname.split('/').slice(1);
  if (name === 'v1' && version === 'wallet') return { kind: 'wallet', cluster: 'mainnet', key };
  if (name !== 'mainnet' && name !== 'devnet') return undefined;
  if (version === 'v2') return { kind: 'alchemy', cluster: name, key: decodeURIComponent(alchemyKey) };
  return version ? undefined : { kind: 'helius', cluster: name, key };
}

function refusedAt({ kind }: Endpoint, status: number, message: string, body: string): Answer {
  if (kind === 'wallet') return walletError(status, message);
  const code = kind === 'alchemy' ? ALCHEMY_CODES[status] : REFUSALS[status]?.[0];
  return jsonAnswer(status, refuse(new RpcError(code ?? -32000, message), idIn(body)).text);
}

const METHOD_NOT_FOUND = methodNotFound().code;

/** Returns the row of a JSON-RPC method, if any. */
export const rpcRowOf = ({ kind, cluster }: Omit<Endpoint, 'key'>, method: string, rows = routes): Route | undefined =>
  rows.find((row) => row.method === method && row.provider === kind && row.cluster === cluster);

/** Answers a call from the chain. For the history of an address without one, answers the row's example. */
async function answerCall({ method, params }: RpcCall, endpoint: Endpoint, chain: Chain): Promise<unknown> {
  if (method.startsWith('sandbox_')) throw methodNotFound();
  const row = rpcRowOf(endpoint, method);
  if (row?.surface === 'das') {
    const [asked, { example }] = [Array.isArray(params) ? params[0] : params, row.result];
    return isObject(asked) && isObject(example) && asked.id ? { ...example, id: asked.id } : example;
  }
  if (!Array.isArray(params)) throw invalidParams('Invalid params: invalid type: map, expected a sequence.');
  const [address] = params;
  const isOfState = Object.hasOwn(accountMethods, method);
  if (row && isAddress(address) && !isOfState && !(await hasHistory(address, chain))) return row.result.example;
  return chain.answer(method, params).catch((error) => {
    if (row && error instanceof RpcError && error.code === METHOD_NOT_FOUND) return row.result.example;
    throw error;
  });
}

async function answerJsonRpc(
  { body }: Arrival,
  endpoint: Endpoint,
  knobs: ProviderFaultKnobs,
  chain: Chain,
): Promise<Answer> {
  if (knobs.jsonRpcError) {
    const { code, message } = knobs.jsonRpcError;
    return jsonAnswer(200, refuse(new RpcError(code, message), idIn(body)).text, retryAfterOf(knobs));
  }
  if (knobs.missingResult === true) return jsonAnswer(200, losslessJson({ jsonrpc: '2.0', id: idIn(body) }));
  const id = knobs.wrongId === true ? 'the id of another call' : idIn(body);
  const { text, refusal } = await respond(body, (call) => answerCall(call, endpoint, chain), id);
  return jsonAnswer(endpoint.kind === 'helius' && refusal ? heliusStatus(refusal.code) : 200, text);
}

const walletRows = upstreamRows('wallet');

async function answerWalletApi({ method, body }: Arrival, path: string, market: WalletMarket): Promise<Answer> {
  const { rows, parameters } = walletRows(path) ?? {};
  const row = [...(rows?.values() ?? [])].find(({ httpMethod }) => httpMethod === method)?.row;
  const answer = row && (await answerWallet(row, parameters?.wallet ?? '', body, market));
  return answer === undefined ? walletError(404, 'Not found') : jsonAnswer(200, losslessJson(answer));
}

/** Answers a request as its endpoint does, or with the faults that the knobs set. */
export async function answerEndpoint(
  arrival: Arrival,
  knobs: ProviderFaultKnobs,
  { chains, key, marketNow }: Served,
): Promise<Answer> {
  const url = new URL(arrival.target, 'http://127.0.0.1');
  const endpoint = endpointOf(url, arrival);
  if (!endpoint) return walletError(404, 'Not found');
  if (knobs.status !== undefined) {
    const message = knobs.message ?? REFUSALS[knobs.status]?.[1] ?? 'Internal server error';
    const refused = refusedAt(endpoint, knobs.status, message, arrival.body);
    return { ...refused, headers: { ...refused.headers, ...retryAfterOf(knobs) } };
  }
  if (knobs.body !== undefined) return jsonAnswer(200, knobs.body);
  if (endpoint.key !== key) return refusedAt(endpoint, 401, 'Invalid API key', arrival.body);
  const chain = chains[endpoint.cluster];
  if (endpoint.kind === 'wallet') return answerWalletApi(arrival, url.pathname, { chain, now: marketNow() });
  if (arrival.method !== 'POST') return jsonAnswer(405, '{}', { allow: 'POST' });
  return answerJsonRpc(arrival, endpoint, knobs, chain);
}
