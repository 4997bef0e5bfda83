import './native-fetch.ts';
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { type Dispatcher, ProxyAgent, Pool as UndiciPool } from 'undici';
import { type ProxyServer, proxyFor } from './proxies.ts';

export { util } from 'undici';

/** Milliseconds for one of a host's addresses before the next is tried. A slow link may lose a first packet for a second. */
const ADDRESS_MS = 2_500;
const CONNECT_MS = 10_000;

/**
 * How to connect within a time. By default, Node gives up an attempt after 250 ms. RFC 8305, section 5, would keep it while the next one
 * begins.
 */
const connecting = (timeout = CONNECT_MS) => ({
  timeout,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: Math.ceil(Math.min(ADDRESS_MS, timeout / 2)),
});

/** Options of a pool. */
interface PoolOptions
  extends Pick<
    UndiciPool.Options,
    'connections' | 'pipelining' | 'headersTimeout' | 'bodyTimeout' | 'maxResponseSize'
  > {
  /** The longest time to connect, in milliseconds. */
  readonly connectMs?: number;
}

/** Sends requests through a proxy, with one tunnel per connection. */
function throughProxy(
  { origin, authorization }: ProxyServer,
  connectMs: number | undefined,
  options: UndiciPool.Options,
) {
  const { timeout } = connecting(connectMs);
  return new ProxyAgent({
    ...options,
    uri: origin,
    ...(authorization && { token: authorization }),
    proxyTls: connecting(connectMs),
    clientFactory: (url, { connect: connector }: UndiciPool.Options) =>
      new UndiciPool(url, { ...(connector && { connect: connector }), headersTimeout: timeout }),
  });
}

type PoolRequest = Omit<Dispatcher.RequestOptions, 'origin' | 'signal'> & { readonly deadlineMs: number };

/** Connections to one origin, through the process's proxy for it if any. */
export class Pool {
  readonly #origin: string;
  readonly #dispatcher: Dispatcher;

  constructor(origin: string, { connectMs, ...options }: PoolOptions) {
    const proxy = proxyFor(new URL(origin));
    this.#origin = origin;
    this.#dispatcher = proxy
      ? throughProxy(proxy, connectMs, options)
      : new UndiciPool(origin, { ...options, connect: connecting(connectMs) });
  }

  dispatch(request: Omit<Dispatcher.DispatchOptions, 'origin'>, handler: Dispatcher.DispatchHandler): boolean {
    return this.#dispatcher.dispatch({ ...request, origin: this.#origin }, handler);
  }

  /** Sends a request. Rejects unless its answer is complete within `deadlineMs`. */
  async request({ deadlineMs, ...request }: PoolRequest): Promise<{ readonly status: number; readonly text: string }> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
    try {
      const asked = { ...request, origin: this.#origin, signal: deadline.signal };
      const { statusCode, body } = await this.#dispatcher.request(asked);
      return { status: statusCode, text: await body.text() };
    } finally {
      clearTimeout(timer);
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
  const proxy = new UndiciPool(origin, { connect: connecting(), headersTimeout: CONNECT_MS });
  const headers = { ...(authorization && { 'proxy-authorization': authorization }) };
  const path = `${hostname}:${port || (isSecure ? 443 : 80)}`;
  // The tunnel has left the pool, so it outlives the pool's closing.
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
  const agent = new (url.protocol === 'https:' ? SecureAgent : Agent)({ keepAlive: true, ...connecting() });
  if (!proxy) return agent;
  return Object.assign(agent, {
    createConnection(_: unknown, done: (error: Error | null, socket?: Duplex) => void): undefined {
      openTunnel(proxy, url).then((socket) => done(null, socket), done);
    },
  });
}
