import { below, member, memberText } from '@asset-gateway/protocol';
import type { ResponseHandler } from '../pool.ts';
import { openHttp, type RefusalOptions, rateLimited, refusalOfStatus, type UpstreamOptions } from './exchange.ts';
import { quotation } from './quotation.ts';
import { readJson } from './response.ts';
import { assertHoldsNoSecret } from './secret-search.ts';
import { type Connection, UpstreamRefusal } from './upstream.ts';

/** The codes of a client's errors: unknown method, invalid parameters, unsupported transaction version. */
const REJECTED = new Set([-32600, -32602, -32015]);
/**
 * Our messages for a Solana node's errors about one request, by code, because the node's own do not say what to do. Source: agave,
 * `custom_error.rs`.
 */
const OF_REQUEST = new Map([
  [
    -32010,
    'The node keeps no index of this key, so it cannot list its accounts (-32010); ask for another key or provider.',
  ],
  [-32011, 'This node keeps no transaction history (-32011); ask another provider.'],
  [-32016, 'The node has not reached minContextSlot yet (-32016); send the request again, or with a lower slot.'],
]);
/** The code of a node that is behind the other nodes. */
const BEHIND = -32005;
/** The code of a node's own error. */
const INTERNAL_ERROR = -32603;
/** The codes for too many requests. They also come with status 200. */
const RATE_LIMITED = new Set([429, -32029, -32429]);
/** The statuses about the key or the rate, which a client cannot change. They say more than the code in the body. */
const ABOUT_KEY = new Set([401, 403, 429]);

/** Returns the code of an error. Some providers put it beside the error object, or in its place. */
const codeIn = (body: unknown): number => Number(member(member(body, 'error'), 'code') ?? member(body, 'code'));

/** Returns the refusal for an error code that we know; undefined for other codes. */
function knownRefusal(body: unknown, response: ResponseHandler, options: RefusalOptions): UpstreamRefusal | undefined {
  const code = codeIn(body);
  const reason = `upstream JSON-RPC error ${code}`;
  if (RATE_LIMITED.has(code)) return rateLimited(reason, response, options);
  if (code === BEHIND) return new UpstreamRefusal('upstream_error', 'down', { reason });
  const own = OF_REQUEST.get(code);
  if (own === undefined && !REJECTED.has(code)) return undefined;
  const message = own ?? quotation(below(body, 'error', 'message'), options.secrets);
  return new UpstreamRefusal('upstream_rejected', 'answered', { reason, ...(message && { message }) });
}

/** Returns the refusal for a body with an error. The node counts as up, because most errors depend on the request. */
function refusalOfError(body: unknown, response: ResponseHandler, options: RefusalOptions): UpstreamRefusal {
  const code = codeIn(body);
  const ending = code === INTERNAL_ERROR ? 'failed' : 'answered';
  const other = () => new UpstreamRefusal('upstream_error', ending, { reason: `upstream JSON-RPC error ${code}` });
  return knownRefusal(body, response, options) ?? other();
}

/** Returns the refusal for a failed call. A JSON-RPC error in the body says more than most HTTP statuses. */
async function refusalOfResponse(response: ResponseHandler, options: RefusalOptions): Promise<UpstreamRefusal> {
  const { statusCode } = response;
  const mayTell = statusCode >= 400 && !ABOUT_KEY.has(statusCode);
  const peek = mayTell ? await readJson(response).catch(() => undefined) : undefined;
  return knownRefusal(peek?.value, response, options) ?? refusalOfStatus(response, options);
}

/** Returns the JSON text of the result of the call with this id. */
async function readRpcResult(id: number, response: ResponseHandler, options: UpstreamOptions): Promise<string> {
  if (response.statusCode !== 200) throw await refusalOfResponse(response, options);
  const { text, value } = await readJson(response);
  assertHoldsNoSecret(text, options.secrets);
  const error = member(value, 'error') ?? undefined;
  const given = member(value, 'result');
  if (error !== undefined || (given === undefined && RATE_LIMITED.has(codeIn(value))))
    throw refusalOfError(value, response, options);
  const isOurs = !Array.isArray(value) && member(value, 'id') === id && given !== undefined;
  const result = isOurs ? memberText(text, 'result') : undefined;
  if (result === undefined) {
    throw new UpstreamRefusal('upstream_invalid_response', 'failed', { reason: 'not the answer to our call' });
  }
  return result;
}

/** Opens JSON-RPC over HTTP to a Solana node or to a provider's equivalent. */
export function openJsonRpc(options: UpstreamOptions): Connection {
  const { pathname, search } = new URL(options.baseUrl);
  let lastId = 0;
  return openHttp(options, ({ route, input }) => {
    const id = ++lastId;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: route.method, params: input.body.params });
    return {
      request: { method: 'POST', path: pathname + search, body },
      read: (response) => readRpcResult(id, response, options),
    };
  });
}
