import type { Route } from '@asset-gateway/protocol';
import type { Answer, Input, Spend } from '../call.ts';
import { readJson, type UpstreamResponse } from './body.ts';
import { Exchange } from './exchange.ts';
import { refusalOfStatus } from './failures.ts';
import { writeRequest } from './request.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

/** Where an HTTP upstream is, and how long it may take. */
export interface UpstreamOptions {
  /** Origin, a path prefix where there is one, and for some a query that holds the key. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole call, from the first byte written to the last byte read. */
  readonly deadlineMs: number;
  readonly connections: number;
  /** In every spelling: what must never stand in an answer. */
  readonly secrets: readonly string[];
}

/** JSON text with the characters that it says by number. */
const unescaped = (json: string): string =>
  json.includes('\\u')
    ? json.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : json;

/** Refuses a text that holds one of the upstream's secrets. */
export function assertDiscreet(text: string, secrets: readonly string[]): void {
  const plain = unescaped(text);
  if (secrets.some((secret) => plain.includes(secret))) {
    throw new UpstreamRefusal('upstream_invalid_response', 'failed', { reason: 'holds our key' });
  }
}

/** A REST API over HTTP. */
export class RestUpstream implements Upstream {
  readonly #options: UpstreamOptions;
  readonly #base: URL;
  readonly #exchange: Exchange;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
    this.#exchange = new Exchange({ ...options, origin: this.#base.origin });
  }

  async answer(route: Route, input: Input, spend: Spend): Promise<Answer> {
    const request = writeRequest(route, input, this.#base);
    return { json: await this.#exchange.run(request, spend, (response) => this.#judge(response)) };
  }

  close(): Promise<void> {
    return this.#exchange.close();
  }

  async #judge(response: UpstreamResponse): Promise<string> {
    const { secrets } = this.#options;
    if (response.statusCode !== 200) throw await refusalOfStatus(response, secrets);
    const { text } = await readJson(response);
    assertDiscreet(text, secrets);
    return text;
  }
}
