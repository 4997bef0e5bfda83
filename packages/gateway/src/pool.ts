import './native-fetch.ts';
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { type Dispatcher, ProxyAgent, Pool as UndiciPool, util } from 'undici';
import { type ProxyServer, proxyFor } from './proxies.ts';

/**
 * How long one of a host's addresses is tried before the next, in milliseconds. On a slow link, a lost first packet delays a connection by
 * a second.
 */
const ADDRESS_MS = 2_500;
const CONNECT_MS = 10_000;

/**
 * Returns the options to connect within a time. By default Node gives up an attempt after 250 ms; RFC 8305, section 5, would keep it while
 * the next one begins.
 */
const connectOptions = (timeout = CONNECT_MS) => ({
  timeout,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: Math.ceil(Math.min(ADDRESS_MS, timeout / 2)),
});

/** Options of a pool. */
interface PoolOptions
  extends Pick<UndiciPool.Options, 'connections' | 'pipelining' | 'headersTimeout' | 'bodyTimeout'> {
  /** The longest time to connect, in milliseconds. */
  readonly connectMs?: number;
}

/** Sends requests through a proxy, with one tunnel per connection. */
function throughProxy(
  { origin, authorization }: ProxyServer,
  connectMs: number | undefined,
  options: UndiciPool.Options,
) {
  const { timeout } = connectOptions(connectMs);
  return new ProxyAgent({
    ...options,
    uri: origin,
    ...(authorization && { token: authorization }),
    proxyTls: connectOptions(connectMs),
    clientFactory: (url, { connect: connector }: UndiciPool.Options) =>
      new UndiciPool(url, { ...(connector && { connect: connector }), headersTimeout: timeout }),
  });
}

/** Thrown if an answer has more bytes than its reader accepts. */
export class AnswerTooLarge extends Error {
  override readonly message = 'too large';
}

const ignore = (): void => undefined;

/** Returns a promise with its resolvers. An early rejection does not count as unhandled. */
function deferred<T>() {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [ignore, ignore];
  const promise = new Promise<T>((...resolvers) => {
    [resolve, reject] = resolvers;
  });
  promise.catch(ignore);
  return { promise, resolve, reject };
}

/**
 * Handles one request of undici's dispatcher. Writes the request before its deadline or not at all, and aborts the call at the deadline.
 * Tracks how far the call has come, which undici's errors do not tell. The creator must call `end`.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler {
  statusCode = 0;
  headers: Readonly<Record<string, string | string[]>> = {};
  /** Whether writing has begun. */
  isWritten = false;
  /** Whether the answer has begun. */
  isStarted = false;
  readonly #head = deferred<ResponseHandler>();
  readonly #whole = deferred<void>();
  /** Resolves with the head of the answer. */
  readonly head = this.#head.promise;
  readonly #deadlineAt: number;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #limit: number;
  #abort: (error: Error) => void = ignore;
  #failure: Error | undefined;
  #isExpired = false;
  #isComplete = false;

  /** `deadlineMs`: milliseconds from now to the last byte read. `maxBytes`: the longest body. */
  constructor(deadlineMs: number, maxBytes: number) {
    this.#limit = maxBytes;
    this.#deadlineAt = performance.now() + deadlineMs;
    this.#timer = setTimeout(() => {
      this.#isExpired = true;
      this.#giveUp(new Error(`no answer within ${deadlineMs} ms`));
    }, deadlineMs).unref();
  }

  /** Whether the deadline has passed. It reads the clock, because a process that was suspended reads its sockets before its timers run. */
  get isLate(): boolean {
    return this.#isExpired || performance.now() >= this.#deadlineAt;
  }

  /** Returns the complete body, still encoded. Rejects with `AnswerTooLarge` if it exceeds a limit, or with the transport's error. */
  async whole(limit = this.#limit): Promise<Buffer> {
    this.#limit = limit;
    if (this.#size > limit) this.onError(new AnswerTooLarge());
    await this.#whole.promise;
    // The last byte may have arrived before the deadline passed, or before `limit` was lowered.
    if (this.#failure) throw this.#failure;
    return Buffer.concat(this.#chunks, this.#size);
  }

  /** Ends the request. Closes its connection if data is unread, because unread data would block the connection. */
  end(): void {
    clearTimeout(this.#timer);
    if (!this.#isComplete) this.#giveUp(new Error('not read to its end'));
  }

  /** undici calls this immediately before it writes. */
  onConnect(abort: (error?: Error) => void): void {
    if (this.#failure || this.isLate) {
      abort(this.#failure ?? new Error('too late to be written'));
      return;
    }
    this.#abort = abort;
    this.isWritten = true;
  }

  onResponseStarted(): void {
    this.isStarted = true;
  }

  onHeaders(statusCode: number, rawHeaders: Buffer[]): boolean {
    if (statusCode < 200) return true;
    this.statusCode = statusCode;
    this.headers = util.parseHeaders(rawHeaders);
    this.#head.resolve(this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#size += chunk.length;
    if (this.#size <= this.#limit) this.#chunks.push(chunk);
    else this.onError(new AnswerTooLarge());
    return true;
  }

  onComplete(): void {
    this.#isComplete = true;
    this.#whole.resolve();
  }

  onError(error: Error): void {
    this.#failure ??= error;
    this.#head.reject(this.#failure);
    this.#whole.reject(this.#failure);
  }

  #giveUp(reason: Error): void {
    this.onError(reason);
    this.#abort(reason);
  }
}

type PoolRequest = Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers' | 'body'>;

/** A decoder that drops the byte order mark, which `JSON.parse` rejects. */
const utf8 = new TextDecoder();

/** The longest time of a request and the largest body of its answer. */
interface RequestLimits {
  readonly deadlineMs: number;
  readonly maxBytes: number;
}

/** The connections to one origin, through the process's proxy for it if there is one. */
export class Pool {
  readonly #origin: string;
  readonly #dispatcher: Dispatcher;

  constructor(origin: string, { connectMs, ...options }: PoolOptions) {
    const proxy = proxyFor(new URL(origin));
    this.#origin = origin;
    this.#dispatcher = proxy
      ? throughProxy(proxy, connectMs, options)
      : new UndiciPool(origin, { ...options, connect: connectOptions(connectMs) });
  }

  dispatch({ method, path, headers = null, body = null }: PoolRequest, handler: Dispatcher.DispatchHandler): boolean {
    return this.#dispatcher.dispatch({ origin: this.#origin, method, path, headers, body }, handler);
  }

  /** Sends a request and reads its answer as text. Rejects unless the answer is complete within its limits. */
  async request(request: PoolRequest, { deadlineMs, maxBytes }: RequestLimits) {
    const response = new ResponseHandler(deadlineMs, maxBytes);
    try {
      this.dispatch(request, response);
      const { statusCode } = await response.head;
      return { status: statusCode, text: utf8.decode(await response.whole()) };
    } finally {
      response.end();
    }
  }

  /** Closes all connections at once. */
  async destroy(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

/** Opens a tunnel to the host and port of a URL. */
async function openTunnel({ origin, authorization }: ProxyServer, { protocol, hostname, port }: URL): Promise<Duplex> {
  const isSecure = protocol === 'https:';
  const proxy = new UndiciPool(origin, { connect: connectOptions(), headersTimeout: CONNECT_MS });
  const headers = { ...(authorization && { 'proxy-authorization': authorization }) };
  const path = `${hostname}:${port || (isSecure ? 443 : 80)}`;
  // The tunnel's socket does not belong to the pool any more, so it stays open when the pool closes.
  const { socket, statusCode } = await proxy.connect({ path, headers }).finally(() => proxy.close());
  if (statusCode !== 200) {
    socket.destroy();
    throw Object.assign(new Error('no tunnel'), { code: `the proxy's status ${statusCode}` });
  }
  return isSecure ? connect({ socket, servername: hostname }) : socket;
}

/** Node's agent for requests to one URL, through the process's proxy for it if any. */
export function agentFor(url: URL): Agent {
  const proxy = proxyFor(url);
  const agent = new (url.protocol === 'https:' ? SecureAgent : Agent)({ keepAlive: true, ...connectOptions() });
  if (!proxy) return agent;
  return Object.assign(agent, {
    createConnection(_: unknown, done: (error: Error | null, socket?: Duplex) => void): undefined {
      openTunnel(proxy, url).then((socket) => done(null, socket), done);
    },
  });
}
