import { member } from '@asset-gateway/protocol';
import type { Answer, KeyedCall } from '../call.ts';
import { Exchange, type RefusalOptions, rateLimited, refusalOfStatus } from './exchange.ts';
import { memberText } from './member-text.ts';
import { readJson, type UpstreamResponse } from './response.ts';
import { assertDiscreet, type UpstreamOptions } from './rest.ts';
import { type KeyedUpstream, UpstreamRefusal } from './upstream.ts';

/** The caller's fault: no such method, wrong parameters, an unsupported transaction version. */
const REJECTED = new Set([-32600, -32602, -32015]);
/** The node's own fault, as it says itself. */
const INTERNAL_ERROR = -32603;
/** Too many requests, in three dialects. */
const RATE_LIMITED = new Set([429, -32005, -32029]);

/** A Solana node or a provider's interface of its kind, by JSON-RPC over HTTP. */
export class JsonRpcUpstream implements KeyedUpstream {
  readonly #options: UpstreamOptions;
  readonly #path: string;
  readonly #exchange: Exchange;
  #lastId = 0;

  constructor(options: UpstreamOptions) {
    const { origin, pathname, search } = new URL(options.baseUrl);
    this.#options = options;
    this.#path = pathname + search;
    this.#exchange = new Exchange({ ...options, origin });
  }

  async answer({ route, input, spend }: KeyedCall): Promise<Answer> {
    const id = ++this.#lastId;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: route.method, params: input.body.params });
    const request = { method: 'POST', path: this.#path, body } as const;
    return { json: await this.#exchange.run(request, spend, (response) => this.#judge(id, response)) };
  }

  close(): Promise<void> {
    return this.#exchange.close();
  }

  async #judge(id: number, response: UpstreamResponse): Promise<string> {
    if (response.statusCode !== 200) throw await this.#refusalOfStatus(response);
    const { text, value } = await readJson(response);
    assertDiscreet(text, this.#options.secrets);
    const error = member(value, 'error');
    if (error !== undefined && error !== null) throw refusalOfError(error, response, this.#options);
    const isOurs = !Array.isArray(value) && member(value, 'id') === id && member(value, 'result') !== undefined;
    const result = isOurs ? memberText(text, 'result') : undefined;
    if (result === undefined) {
      throw new UpstreamRefusal('upstream_invalid_response', 'failed', { reason: 'not the answer to our call' });
    }
    return result;
  }

  /** A JSON-RPC error says more than the HTTP status that it comes with. */
  async #refusalOfStatus(response: UpstreamResponse): Promise<UpstreamRefusal> {
    const peek = response.statusCode >= 400 && (await readJson(response).catch(() => undefined));
    const error = peek ? member(peek.value, 'error') : undefined;
    const code = Number(member(error, 'code'));
    if (REJECTED.has(code) || RATE_LIMITED.has(code)) return refusalOfError(error, response, this.#options);
    return refusalOfStatus(response, this.#options);
  }
}

/** A node that answers with an error is there: which one it is mostly depends on what was asked. */
function refusalOfError(error: unknown, response: UpstreamResponse, options: RefusalOptions): UpstreamRefusal {
  const code = Number(member(error, 'code'));
  const reason = `upstream JSON-RPC error ${code}`;
  if (REJECTED.has(code)) return new UpstreamRefusal('upstream_rejected', 'answered', { reason });
  if (RATE_LIMITED.has(code)) return rateLimited(reason, response, options);
  return new UpstreamRefusal('upstream_error', code === INTERNAL_ERROR ? 'failed' : 'answered', { reason });
}
