import { Refusal, type Route } from '@asset-gateway/protocol';
import { type Dispatcher, Pool } from 'undici';
import type { Answer, Input, Spend } from '../call.ts';
import { readJson } from './body.ts';
import { refusalOfFailure, refusalOfStatus } from './failures.ts';
import { type UpstreamRequest, writeRequest } from './request.ts';
import type { Upstream } from './upstream.ts';

/** Where a REST upstream is, and how long it may take. */
export interface RestOptions {
  /** Origin, and a path prefix where there is one. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole call, from the first byte written to the last byte read. */
  readonly deadlineMs: number;
  readonly connections: number;
  /** In every spelling: what must never stand in an answer. */
  readonly secrets: readonly string[];
  /** Told when the upstream asks for a pause. */
  readonly onRateLimited: (route: Route, seconds: number) => Promise<void>;
}

/** JSON text with the characters that it says by number. */
const unescaped = (json: string): string =>
  json.includes('\\u')
    ? json.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : json;

/** A REST API over HTTP: pooled connections, no redirect followed, request headers built from nothing. */
export class RestUpstream implements Upstream {
  readonly #options: RestOptions;
  readonly #base: URL;
  readonly #pool: Pool;

  constructor(options: RestOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
    this.#pool = new Pool(this.#base.origin, {
      connections: options.connections,
      pipelining: 1,
      connect: { timeout: options.deadlineMs },
      // The deadline of the whole call is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async answer(route: Route, input: Input, spend: Spend): Promise<Answer> {
    const request = writeRequest(route, input, this.#base);
    const slot = await spend();
    const deadline = AbortSignal.timeout(this.#options.deadlineMs);
    try {
      const response = await this.#send(request, deadline).catch((error) => {
        throw refusalOfFailure(error, deadline.aborted, 'upstream_unreachable');
      });
      return { json: await this.#read(route, response) };
    } catch (error) {
      throw error instanceof Refusal ? error : refusalOfFailure(error, deadline.aborted, 'upstream_invalid_response');
    } finally {
      slot.release();
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #send({ method, path, body }: UpstreamRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      ...this.#options.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    return this.#pool.request({ method, path, headers, body: body ?? null, signal });
  }

  async #read(route: Route, response: Dispatcher.ResponseData): Promise<string> {
    try {
      return await this.#judge(route, response);
    } finally {
      // What is left unread would keep its connection busy.
      response.body.on('error', () => undefined).destroy();
    }
  }

  async #judge(route: Route, response: Dispatcher.ResponseData): Promise<string> {
    const { secrets, onRateLimited } = this.#options;
    if (response.statusCode === 200) {
      const { text } = await readJson(response);
      const plain = unescaped(text);
      if (secrets.some((secret) => plain.includes(secret))) {
        throw new Refusal('upstream_invalid_response', { reason: 'holds our key' });
      }
      return text;
    }
    const refusal = await refusalOfStatus(response, secrets);
    if (refusal.code === 'upstream_rate_limited') await onRateLimited(route, refusal.details.retryAfterSeconds ?? 0);
    throw refusal;
  }
}
