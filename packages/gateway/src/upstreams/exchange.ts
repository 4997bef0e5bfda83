import { Refusal } from '@asset-gateway/protocol';
import type { Spend } from '../call.ts';
import type { UpstreamResponse } from './body.ts';
import { refusalOfFailure } from './failures.ts';
import type { UpstreamRequest } from './request.ts';
import { type Progress, WatchfulPool } from './watchful-pool.ts';

/** What is left unread would keep its connection busy. */
const discard = ({ body }: UpstreamResponse) => void body.on('error', () => undefined).destroy();

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
  readonly #options: ExchangeOptions;
  readonly #pool: WatchfulPool;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#pool = new WatchfulPool(options.origin, {
      connections: options.connections,
      pipelining: 1,
      connect: { timeout: options.deadlineMs },
      // The deadline of the whole call is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Spends, writes the request and reads its answer. Every failure leaves as a refusal, and the slot is released. */
  async run<T>(request: UpstreamRequest, spend: Spend, read: (response: UpstreamResponse) => Promise<T>): Promise<T> {
    const slot = await spend();
    const { deadlineMs } = this.#options;
    const deadline = AbortSignal.timeout(deadlineMs);
    const progress: Progress = { writeUntilMs: performance.now() + deadlineMs, written: false, started: false };
    try {
      const response = await this.#send(request, deadline, progress);
      return await read(response).finally(() => discard(response));
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const isLate = deadline.aborted || performance.now() >= progress.writeUntilMs;
      throw refusalOfFailure(error, isLate, progress.started);
    } finally {
      slot.release(progress.started || !progress.written);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #send({ method, path, body }: UpstreamRequest, signal: AbortSignal, opaque: Progress): Promise<UpstreamResponse> {
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      ...this.#options.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    return this.#pool.request({ method, path, headers, body: body ?? null, signal, opaque });
  }
}
