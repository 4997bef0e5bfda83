import { member } from '@asset-gateway/protocol';
import { openPool, type RefusalOptions, rateLimited, refusalOfStatus, type UpstreamOptions } from './exchange.ts';
import { memberText } from './member-text.ts';
import { type ResponseHandler, readJson } from './response.ts';
import { assertDiscreet } from './rest.ts';
import { type Connection, UpstreamRefusal } from './upstream.ts';

/** Client errors: unknown method, invalid parameters, unsupported transaction version. */
const REJECTED = new Set([-32600, -32602, -32015]);
/** The node reports an error of its own. */
const INTERNAL_ERROR = -32603;
/** Three codes for too many requests. */
const RATE_LIMITED = new Set([429, -32005, -32029]);

/** The refusal for a JSON-RPC error. The node is up: the error mostly depends on the request. */
function refusalOfError(error: unknown, response: ResponseHandler, options: RefusalOptions): UpstreamRefusal {
  const code = Number(member(error, 'code'));
  const reason = `upstream JSON-RPC error ${code}`;
  if (REJECTED.has(code)) return new UpstreamRefusal('upstream_rejected', 'answered', { reason });
  if (RATE_LIMITED.has(code)) return rateLimited(reason, response, options);
  return new UpstreamRefusal('upstream_error', code === INTERNAL_ERROR ? 'failed' : 'answered', { reason });
}

/** A JSON-RPC error in the body is more specific than the HTTP status. */
async function refusalOf(response: ResponseHandler, options: RefusalOptions): Promise<UpstreamRefusal> {
  const peek = response.statusCode >= 400 && (await readJson(response).catch(() => undefined));
  const error = peek ? member(peek.value, 'error') : undefined;
  const code = Number(member(error, 'code'));
  if (REJECTED.has(code) || RATE_LIMITED.has(code)) return refusalOfError(error, response, options);
  return refusalOfStatus(response, options);
}

/** The text of the result of the call with this id. */
async function resultOf(id: number, response: ResponseHandler, options: UpstreamOptions): Promise<string> {
  if (response.statusCode !== 200) throw await refusalOf(response, options);
  const { text, value } = await readJson(response);
  assertDiscreet(text, options.secrets);
  const error = member(value, 'error');
  if (error !== undefined && error !== null) throw refusalOfError(error, response, options);
  const isOurs = !Array.isArray(value) && member(value, 'id') === id && member(value, 'result') !== undefined;
  const result = isOurs ? memberText(text, 'result') : undefined;
  if (result === undefined) {
    throw new UpstreamRefusal('upstream_invalid_response', 'failed', { reason: 'not the answer to our call' });
  }
  return result;
}

/** JSON-RPC over HTTP: a Solana node or a provider's equivalent. */
export function openJsonRpc(options: UpstreamOptions): Connection {
  const { pathname, search } = new URL(options.baseUrl);
  let lastId = 0;
  return openPool(options, ({ route, input }) => {
    const id = ++lastId;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: route.method, params: input.body.params });
    return {
      request: { method: 'POST', path: pathname + search, body },
      read: (response) => resultOf(id, response, options),
    };
  });
}
