import type { Answer, KeyedCall } from '../call.ts';
import { readJson } from './body.ts';
import { Exchange } from './exchange.ts';
import { type RefusalOptions, refusalOfStatus } from './failures.ts';
import { writeRequest } from './request.ts';
import type { UpstreamResponse } from './response-handler.ts';
import type { KeyedUpstream } from './upstream.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

/** Where an HTTP upstream is, and how long it may take. */
export interface UpstreamOptions extends RefusalOptions {
  /** Origin, a path prefix where there is one, and for some a query that holds the key. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole call, from the first byte written to the last byte read. */
  readonly deadlineMs: number;
  readonly connections: number;
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
export class RestUpstream implements KeyedUpstream {
  readonly #options: UpstreamOptions;
  readonly #base: URL;
  readonly #exchange: Exchange;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
    this.#exchange = new Exchange({ ...options, origin: this.#base.origin });
  }

  async answer({ route, input, spend }: KeyedCall): Promise<Answer> {
    const request = writeRequest(route, input, this.#base);
    return { json: await this.#exchange.run(request, spend, (response) => this.#judge(response)) };
  }

  close(): Promise<void> {
    return this.#exchange.close();
  }

  async #judge(response: UpstreamResponse): Promise<string> {
    if (response.statusCode !== 200) throw await refusalOfStatus(response, this.#options);
    const { text } = await readJson(response);
    assertDiscreet(text, this.#options.secrets);
    return text;
  }
}
