import { Refusal, type Route } from '@asset-gateway/protocol';
import type { Dispatcher } from 'undici';
import type { Answer, Input, Spend } from '../call.ts';
import { readJson } from './body.ts';
import { Exchange } from './exchange.ts';
import { pauseSeconds, refusalOfStatus } from './failures.ts';
import { memberText } from './member-text.ts';
import { assertDiscreet, type UpstreamOptions } from './rest.ts';
import type { Upstream } from './upstream.ts';

/** The caller's fault: no such method, wrong parameters, an unsupported transaction version. */
const REJECTED = new Set([-32600, -32602, -32015]);
/** Too many requests, in three dialects. */
const RATE_LIMITED = new Set([429, -32005, -32029]);

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** A Solana node or a provider's interface of its kind, by JSON-RPC over HTTP. */
export class JsonRpcUpstream implements Upstream {
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

  async answer(route: Route, input: Input, spend: Spend): Promise<Answer> {
    const id = ++this.#lastId;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: route.method, params: input.body.params });
    const request = { method: 'POST', path: this.#path, body } as const;
    return { json: await this.#exchange.run(request, spend, (response) => this.#judge(route, id, response)) };
  }

  close(): Promise<void> {
    return this.#exchange.close();
  }

  async #judge(route: Route, id: number, response: Dispatcher.ResponseData): Promise<string> {
    const { secrets } = this.#options;
    if (response.statusCode !== 200) throw await this.#refusalOfStatus(route, response);
    const { text, value } = await readJson(response);
    assertDiscreet(text, secrets);
    const error = member(value, 'error');
    if (error !== undefined && error !== null) throw await this.#refusalOfError(route, error);
    const isOurs = !Array.isArray(value) && member(value, 'id') === id && member(value, 'result') !== undefined;
    const result = isOurs ? memberText(text, 'result') : undefined;
    if (result === undefined) throw new Refusal('upstream_invalid_response', { reason: 'not the answer to our call' });
    return result;
  }

  /** A JSON-RPC error says more than the HTTP status that it comes with. */
  async #refusalOfStatus(route: Route, response: Dispatcher.ResponseData): Promise<Refusal> {
    const peek = response.statusCode >= 400 && (await readJson(response).catch(() => undefined));
    const error = peek ? member(peek.value, 'error') : undefined;
    const code = Number(member(error, 'code'));
    if (REJECTED.has(code) || RATE_LIMITED.has(code)) return this.#refusalOfError(route, error);
    const refusal = await refusalOfStatus(response, this.#options.secrets);
    if (refusal.code === 'upstream_rate_limited') await this.#pause(route, refusal.details.retryAfterSeconds ?? 0);
    return refusal;
  }

  async #refusalOfError(route: Route, error: unknown): Promise<Refusal> {
    const code = Number(member(error, 'code'));
    const reason = `upstream JSON-RPC error ${code}`;
    if (REJECTED.has(code)) return new Refusal('upstream_rejected', { reason });
    if (!RATE_LIMITED.has(code)) return new Refusal('upstream_error', { reason });
    const retryAfterSeconds = pauseSeconds(undefined, 0);
    await this.#pause(route, retryAfterSeconds);
    return new Refusal('upstream_rate_limited', { reason, retryAfterSeconds });
  }

  #pause(route: Route, seconds: number): Promise<void> {
    return this.#options.onRateLimited(route, seconds);
  }
}
