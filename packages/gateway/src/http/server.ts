import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type BlockList, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Inbound, Outbound } from '../call.ts';
import { lastResort } from '../last-resort.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import { clientAddress } from './client-address.ts';
import { Connections, Pipeline } from './connections.ts';
import { headFault, receive } from './receive.ts';

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

function parseFaultCode({ code, rawPacket }: ParseError): RefusalCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  const packet = rawPacket?.toString('latin1') ?? '';
  const requestLine = /^[A-Z]+ [^\r\n]*/.exec(packet)?.[0] ?? '';
  return requestLine.length > REQUEST_LIMITS.targetBytes ? 'uri_too_long' : 'headers_too_large';
}

/** Returns the answer to an `Expect` other than 100-continue. */
function unexpected(): Outbound {
  const { headers } = lastResort(new Refusal('bad_request'));
  return { status: 417, headers: { ...headers, 'Content-Length': '0' }, body: '' };
}

/** Answers an unparseable request and closes its connection. */
function answerUnreadable(error: ParseError, socket: Duplex): void {
  const { status, headers, body } = lastResort(new Refusal(parseFaultCode(error)));
  const lines = Object.entries({ Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  // A peer that never closes its side would hold the socket for ever.
  setTimeout(() => socket.destroy(), SOCKET_TIMES.lingerMs).unref();
}

interface ServerOptions {
  readonly handle: (inbound: Inbound) => Promise<Outbound>;
  readonly trustedProxies: BlockList;
  /** The most connections. For further ones, idle connections are closed. */
  readonly maxConnections: number;
  /** How long a drain waits for requests that are in transit, in milliseconds. */
  readonly graceMs: number;
  /** Called with an error that left a request unanswered. */
  readonly onFailure: (error: unknown) => void;
  /** Called with a warning for the operator. */
  readonly notice?: (message: string) => void;
}

const UNREADABLE_HOPS =
  'TRUST_PROXY: a trusted proxy forwards no readable address, so all its clients count as one; let it ' +
  'write X-Forwarded-For or Forwarded, with addresses such as 203.0.113.7 or [2001:db8::1]:443';

/** Node's default backlog. */
const NODES_BACKLOG = 511;
const SOCKET_TIMES = {
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 65_000,
  checkMs: 1_000,
  /**
   * How long a write may stall. Node restarts this timer when a socket makes progress, so a stalled socket is cut within twice this time.
   */
  writeMs: 15_000,
  /** How long a refused upload may continue before its connection is cut. */
  lingerMs: 1_000,
} as const;

/** Serves the gateway with Node's HTTP server. Limits size, time and connections, and drains without losing a request. */
export class HttpServer {
  readonly #server: Server;
  readonly #options: ServerOptions;
  readonly #connections: Connections;
  readonly #pipelines = new WeakMap<Socket, Pipeline>();
  #running = 0;
  #isDraining = false;
  #isStopping = false;
  #hasWarned = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#connections = new Connections(options.maxConnections, options.trustedProxies);
    this.#server = createServer({
      maxHeaderSize: REQUEST_LIMITS.headerBytes + REQUEST_LIMITS.targetBytes,
      headersTimeout: SOCKET_TIMES.headersMs,
      requestTimeout: SOCKET_TIMES.requestMs,
      keepAliveTimeout: SOCKET_TIMES.keepAliveMs,
      connectionsCheckingInterval: SOCKET_TIMES.checkMs,
      // The gateway refuses a missing Host itself.
      requireHostHeader: false,
    });
    this.#server.maxHeadersCount = 0;
    this.#server.on('connection', (socket) => {
      if (!this.#connections.admit(socket)) return;
      this.#pipelines.set(socket, new Pipeline(socket, this.#connections));
    });
    this.#server.on('request', (incoming, outgoing) => {
      this.#arrived(incoming, outgoing, () => void this.#serve(incoming, outgoing));
    });
    this.#server.on('checkContinue', (incoming, outgoing) => {
      // RFC 9110, section 10.1.1: do not ask for a body if the head is already refused.
      if (headFault(incoming) === undefined) outgoing.writeContinue();
      this.#arrived(incoming, outgoing, () => void this.#serve(incoming, outgoing));
    });
    this.#server.on('checkExpectation', (incoming, outgoing) => {
      this.#arrived(incoming, outgoing, () => this.#write(incoming, outgoing, unexpected()));
    });
    this.#server.on('clientError', (error, socket) => this.#unreadable(error, socket as Socket));
  }

  async listen(port: number, host: string): Promise<number> {
    // If the backlog is full, clients try to connect again only after seconds.
    const backlog = Math.max(this.#options.maxConnections, NODES_BACKLOG);
    await once(this.#server.listen({ port, host, backlog }), 'listening');
    this.#server.on('error', this.#options.onFailure);
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  /** Stops listening, answers the requests that have arrived or still arrive on open connections, and closes these connections. */
  async drain(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    this.#isDraining = true;
    // Each turn of the event loop accepts the connections that the system has queued. There may be a second's backlog.
    await turn();
    // `close` of the HTTP server would cut kept-alive connections while a request may be in transit.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
    await pause(this.#options.graceMs);
    await turn();
    this.#isStopping = true;
    this.#server.closeIdleConnections();
    while ((this.#connections.hasBusy || this.#running > 0) && performance.now() < deadline) await pause(20);
    this.#server.closeAllConnections();
    await closed;
  }

  #arrived(incoming: IncomingMessage, outgoing: ServerResponse, begin: () => void): void {
    this.#pipelines.get(incoming.socket)?.enqueue({ incoming, outgoing, begin });
  }

  #clientOf(incoming: IncomingMessage): string {
    return clientAddress(incoming, this.#options.trustedProxies, () => {
      if (!this.#hasWarned) this.#options.notice?.(UNREADABLE_HOPS);
      this.#hasWarned = true;
    });
  }

  /** Answers a request. Goes on if the client disconnects, because a payment may be in progress. */
  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.#running++;
    try {
      const inbound = await receive(incoming, this.#clientOf(incoming));
      this.#pipelines.get(incoming.socket)?.completed(incoming);
      const answer = await this.#options.handle(this.#isStopping ? { ...inbound, fault: 'shutting_down' } : inbound);
      this.#write(incoming, outgoing, answer);
    } catch (error) {
      this.#giveUp(incoming, outgoing, error);
    } finally {
      this.#running--;
    }
  }

  #write(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body, onDelivered }: Outbound): void {
    const isUnread = !incoming.complete;
    const pipeline = this.#pipelines.get(incoming.socket);
    const closesAfter = isUnread || this.#isDraining || pipeline?.isBroken;
    if (closesAfter && pipeline?.isLatest(incoming)) outgoing.setHeader('Connection', 'close');
    // A payer who misses the answer now can send the same payment or signature again, and gets the stored answer.
    if (onDelivered) outgoing.once('finish', onDelivered);
    outgoing.writeHead(status, headers).end(body);
    if (!outgoing.writableFinished) outgoing.setTimeout(SOCKET_TIMES.writeMs, () => outgoing.destroy());
    if (isUnread) setTimeout(() => incoming.destroy(), SOCKET_TIMES.lingerMs).unref();
  }

  /** Ends a request whose client has disconnected, or whose answer cannot be written. */
  #giveUp(incoming: IncomingMessage, outgoing: ServerResponse, error: unknown): void {
    if (incoming.errored || outgoing.headersSent || outgoing.destroyed) {
      outgoing.destroy();
      return;
    }
    this.#options.onFailure(error);
    this.#write(incoming, outgoing, lastResort(new Refusal('internal_error')));
  }

  #unreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    const pipeline = this.#pipelines.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (pipeline?.hasCompleteRequest) pipeline.isBroken = true;
    else answerUnreadable(error, socket);
  }
}
