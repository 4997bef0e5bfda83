import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type BlockList, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Inbound, Outbound } from '../call.ts';
import { lastResort } from '../last-resort.ts';
import { Connections, clientAddress, Pipeline } from './connections.ts';

/** Size limits that apply before matching. */
export const LIMITS = {
  bodyBytes: 64 * 1024,
  targetBytes: 8 * 1024,
  headerBytes: 16 * 1024,
} as const;

const EMPTY = new Uint8Array(0);

function hostsOf(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[index + 1] ?? '');
  }
  return hosts;
}

function faultOf({ url = '', rawHeaders, headers, httpVersion }: IncomingMessage): RefusalCode | undefined {
  if (headers.host === undefined && httpVersion !== '1.0') return 'bad_request';
  if (url.length > LIMITS.targetBytes) return 'uri_too_long';
  let headerBytes = 0;
  for (const part of rawHeaders) headerBytes += part.length + 2;
  if (headerBytes > LIMITS.headerBytes) return 'headers_too_large';
  return Number(headers['content-length'] ?? 0) > LIMITS.bodyBytes ? 'body_too_large' : undefined;
}

/** The complete body; undefined if it is too large. Rejects when the client disconnects. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array | undefined> {
  if (incoming.headers['content-length'] === undefined && incoming.headers['transfer-encoding'] === undefined) {
    return Promise.resolve(EMPTY);
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LIMITS.bodyBytes) chunks.push(chunk);
      else {
        incoming.pause();
        resolve(undefined);
      }
    });
    incoming.once('end', () => resolve(Buffer.concat(chunks, size)));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('the client went away')));
  });
}

/** Reads a request to its end. Exceeding a limit becomes a `fault`, which the gateway refuses. */
async function receive(incoming: IncomingMessage, client: string): Promise<Inbound> {
  const head = {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: incoming.headers,
    hosts: hostsOf(incoming.rawHeaders),
    port: incoming.socket.localPort ?? 0,
    client,
  };
  const fault = faultOf(incoming);
  if (fault) return { ...head, body: EMPTY, fault };
  const body = await readBody(incoming);
  return body ? { ...head, body } : { ...head, body: EMPTY, fault: 'body_too_large' };
}

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

function codeOf({ code, rawPacket }: ParseError): RefusalCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  const packet = rawPacket?.toString('latin1') ?? '';
  const requestLine = /^[A-Z]+ [^\r\n]*/.exec(packet)?.[0] ?? '';
  return requestLine.length > LIMITS.targetBytes ? 'uri_too_long' : 'headers_too_large';
}

/** The answer to an `Expect` other than 100-continue. */
function unexpected(): Outbound {
  const { headers } = lastResort(new Refusal('bad_request'));
  return { status: 417, headers: { ...headers, 'Content-Length': '0' }, body: '' };
}

/** Answers an unparseable request and closes. */
function answerUnreadable(error: ParseError, socket: Duplex): void {
  const { status, headers, body } = lastResort(new Refusal(codeOf(error)));
  const lines = Object.entries({ Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  // A peer that never closes its side would hold the socket forever.
  setTimeout(() => socket.destroy(), TIMES.lingerMs).unref();
}

interface ServerOptions {
  readonly handle: (inbound: Inbound) => Promise<Outbound>;
  readonly trustedProxies: BlockList;
  /** Beyond it, idle connections are closed for new ones. */
  readonly maxConnections: number;
  /** How long a drain waits for requests already in transit. */
  readonly graceMs: number;
  /** Called with an error that left a request unanswered. */
  readonly onFailure: (error: unknown) => void;
}

/** Node's default. */
const NODES_BACKLOG = 511;
const TIMES = {
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 65_000,
  checkMs: 1_000,
  /** Node restarts the timer when a socket makes progress, so a stalled one is cut within twice this. */
  writeMs: 15_000,
  /** How long a refused upload may continue. */
  lingerMs: 1_000,
} as const;

/** Node's HTTP server around the gateway: limits of size, time and connections, and a drain that loses no request. */
export class HttpServer {
  readonly #server: Server;
  readonly #options: ServerOptions;
  readonly #connections: Connections;
  readonly #pipelines = new WeakMap<Socket, Pipeline>();
  #running = 0;
  #draining = false;
  #stopping = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#connections = new Connections(options.maxConnections, options.trustedProxies);
    this.#server = createServer({
      maxHeaderSize: LIMITS.headerBytes + LIMITS.targetBytes,
      headersTimeout: TIMES.headersMs,
      requestTimeout: TIMES.requestMs,
      keepAliveTimeout: TIMES.keepAliveMs,
      connectionsCheckingInterval: TIMES.checkMs,
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
    this.#server.on('checkExpectation', (incoming, outgoing) => {
      this.#arrived(incoming, outgoing, () => this.#write(incoming, outgoing, unexpected()));
    });
    this.#server.on('clientError', (error, socket) => this.#unreadable(error, socket as Socket));
  }

  async listen(port: number, host: string): Promise<number> {
    // A client retries a connection beyond the backlog only after seconds.
    const backlog = Math.max(this.#options.maxConnections, NODES_BACKLOG);
    await once(this.#server.listen({ port, host, backlog }), 'listening');
    this.#server.on('error', this.#options.onFailure);
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  /** Stops listening, answers what has arrived and still arrives on open connections, and closes them. */
  async drain(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    this.#draining = true;
    // Each turn accepts what the system has queued: on a busy machine up to a second's worth.
    await turn();
    // The HTTP server's own close would cut kept-alive connections that may carry a request in transit.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
    await pause(this.#options.graceMs);
    await turn();
    this.#stopping = true;
    this.#server.closeIdleConnections();
    while ((this.#connections.hasBusy || this.#running > 0) && performance.now() < deadline) await pause(20);
    this.#server.closeAllConnections();
    await closed;
  }

  #arrived(incoming: IncomingMessage, outgoing: ServerResponse, begin: () => void): void {
    this.#pipelines.get(incoming.socket)?.take({ incoming, outgoing, begin });
  }

  /** Counts as running even if the client has disconnected: a payment may be in progress. */
  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.#running++;
    try {
      const inbound = await receive(incoming, clientAddress(incoming, this.#options.trustedProxies));
      const answer = await this.#options.handle(this.#stopping ? { ...inbound, fault: 'shutting_down' } : inbound);
      this.#write(incoming, outgoing, answer);
    } catch (error) {
      this.#giveUp(incoming, outgoing, error);
    } finally {
      this.#running--;
    }
  }

  #write(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body, onDelivered }: Outbound): void {
    const unread = !incoming.complete;
    const pipeline = this.#pipelines.get(incoming.socket);
    const isOver = unread || this.#draining || pipeline?.isBroken;
    if (isOver && pipeline?.isLatest(incoming)) outgoing.setHeader('Connection', 'close');
    if (onDelivered) outgoing.once('finish', onDelivered);
    outgoing.writeHead(status, headers).end(body);
    if (!outgoing.writableFinished) outgoing.setTimeout(TIMES.writeMs, () => outgoing.destroy());
    if (unread) setTimeout(() => incoming.destroy(), TIMES.lingerMs).unref();
  }

  /** The client has disconnected, or the answer cannot be written. */
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
    else if (pipeline?.hasWhole) pipeline.isBroken = true;
    else answerUnreadable(error, socket);
  }
}
