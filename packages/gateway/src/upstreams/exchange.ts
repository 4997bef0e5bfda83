import { Refusal } from '@asset-gateway/protocol';
import type { KeyedCall } from '../call.ts';
import { Pool } from '../pool.ts';
import { refusalOfFailure } from './failures.ts';
import type { UpstreamRequest } from './request.ts';
import { ResponseHandler, type UpstreamResponse } from './response-handler.ts';

/** Where an upstream is, and how long it may take. */
export interface ExchangeOptions {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole call, from the first byte written to the last byte read. */
  readonly deadlineMs: number;
  readonly connections: number;
}

/** Pooled HTTP to one upstream: no redirect followed, request headers built from nothing, one deadline for all of a call. */
export class Exchange {
  readonly #deadlineMs: number;
  /** Names and values in turn, as undici takes them. */
  readonly #headers: readonly string[];
  readonly #pool: Pool;

  constructor(options: ExchangeOptions) {
    this.#deadlineMs = options.deadlineMs;
    const headers = { accept: 'application/json', 'accept-encoding': 'gzip, br', ...options.headers };
    this.#headers = Object.entries(headers).flat();
    this.#pool = new Pool(options.origin, {
      connections: options.connections,
      pipelining: 1,
      connect: { timeout: options.deadlineMs },
      // The deadline of the whole call is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Spends, writes the request and reads its answer. Every failure leaves as a refusal, and the slot is released. */
  async run<T>(
    request: UpstreamRequest,
    spend: KeyedCall['spend'],
    read: (response: UpstreamResponse) => Promise<T>,
  ): Promise<T> {
    const slot = await spend();
    const handler = new ResponseHandler(this.#deadlineMs);
    try {
      this.#send(request, handler);
      return await read(await handler.head());
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw refusalOfFailure(error, handler.isLate, handler.isStarted);
    } finally {
      handler.end();
      slot.release(handler.isStarted || !handler.isWritten);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #send({ method, path, body }: UpstreamRequest, handler: ResponseHandler): void {
    const headers = [...this.#headers, ...(body === undefined ? [] : ['content-type', 'application/json'])];
    this.#pool.dispatch({ method, path, headers, body: body ?? null }, handler);
  }
}
