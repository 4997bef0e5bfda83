import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type BlockList, Server as NetServer, type Socket } from 'node:net';
import { Refusal } from '@asset-gateway/protocol';
import { clientAddress } from './client-address.ts';
import { lastResort, type Ready, unexpected } from './last-resort.ts';
import { LIMITS, type Received, receive } from './receive.ts';
import { answerUnreadable } from './unreadable.ts';

/** What the server is put around. */
export interface ServerOptions {
  readonly handle: (received: Received) => Promise<Ready>;
  readonly trustedProxies: BlockList;
  /** Connections beyond this many are closed at once. */
  readonly maxConnections: number;
  /** How long it waits, when it drains, for requests that were on their way. */
  readonly graceMs: number;
  /** Told of an error that left the gateway without an answer. */
  readonly onFailure: (error: unknown) => void;
}

/** A listening server that can be drained. */
export interface HttpServer {
  listen(port: number, host: string): Promise<number>;
  /** Stops listening, answers what has arrived and what still arrives on open connections, and closes each after it. */
  drain(deadlineMs: number): Promise<void>;
}

const TIMES = {
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 65_000,
  checkMs: 1_000,
  /** Node forgives a socket once that has taken something, so one that takes nothing more is cut within twice this. */
  writeMs: 15_000,
  /** How long a refused upload may go on before its connection is cut. */
  lingerMs: 1_000,
} as const;

class Draining implements HttpServer {
  readonly #server: Server;
  readonly #options: ServerOptions;
  /** The requests of each socket that have no complete answer yet. */
  readonly #unanswered = new Map<Socket, Set<IncomingMessage>>();
  /** Sockets on which something unreadable followed requests that are still being answered. */
  readonly #broken = new WeakSet<Socket>();
  #running = 0;
  #draining = false;
  #stopping = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#server = createServer({
      maxHeaderSize: LIMITS.headerBytes + LIMITS.targetBytes,
      headersTimeout: TIMES.headersMs,
      requestTimeout: TIMES.requestMs,
      keepAliveTimeout: TIMES.keepAliveMs,
      connectionsCheckingInterval: TIMES.checkMs,
      // A missing Host is refused in our own words.
      requireHostHeader: false,
    });
    this.#server.maxConnections = options.maxConnections;
    this.#server.maxHeadersCount = 0;
    this.#server.on('request', (incoming, outgoing) => void this.#serve(incoming, outgoing));
    this.#server.on('checkExpectation', (incoming, outgoing) => {
      this.#track(incoming, outgoing);
      this.#write(incoming, outgoing, unexpected());
    });
    // An answer that was still queued behind another one is never told that its socket has closed.
    this.#server.on('connection', (socket) => socket.once('close', () => this.#unanswered.delete(socket)));
    this.#server.on('clientError', (error, socket) => this.#unreadable(error, socket as Socket));
  }

  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  async drain(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    this.#draining = true;
    // The HTTP server's own close would cut kept-alive connections on which a request may be on its way.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
    await pause(this.#options.graceMs);
    this.#stopping = true;
    this.#server.closeIdleConnections();
    while ((this.#unanswered.size > 0 || this.#running > 0) && performance.now() < deadline) await pause(20);
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.#track(incoming, outgoing);
    try {
      const received = await receive(incoming, clientAddress(incoming, this.#options.trustedProxies));
      const answer = await this.#handle(this.#stopping ? { ...received, fault: 'shutting_down' } : received);
      this.#write(incoming, outgoing, answer);
    } catch (error) {
      this.#giveUp(incoming, outgoing, error);
    }
  }

  /** Counts what is being answered, also when its client has gone: it may be in the middle of a payment. */
  async #handle(received: Received): Promise<Ready> {
    this.#running++;
    try {
      return await this.#options.handle(received);
    } finally {
      this.#running--;
    }
  }

  #track(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const unanswered = this.#unanswered.get(socket) ?? new Set();
    this.#unanswered.set(socket, unanswered.add(incoming));
    outgoing.once('close', () => {
      unanswered.delete(incoming);
      if (unanswered.size === 0) this.#unanswered.delete(socket);
    });
  }

  #write(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body, onDelivered }: Ready): void {
    const unread = !incoming.complete;
    const isOver = unread || this.#draining || this.#broken.has(incoming.socket);
    if (isOver && this.#isLast(incoming)) outgoing.setHeader('Connection', 'close');
    if (onDelivered) outgoing.once('finish', onDelivered);
    outgoing.writeHead(status, headers).end(body);
    if (!outgoing.writableFinished) outgoing.setTimeout(TIMES.writeMs, () => outgoing.destroy());
    if (unread) setTimeout(() => incoming.destroy(), TIMES.lingerMs).unref();
  }

  /** Answers are written in the order of their requests; closing after an earlier one would drop the later ones. */
  #isLast(incoming: IncomingMessage): boolean {
    return [...(this.#unanswered.get(incoming.socket) ?? [])].at(-1) === incoming;
  }

  /** The client has gone, or the gateway itself failed to answer. */
  #giveUp(incoming: IncomingMessage, outgoing: ServerResponse, error: unknown): void {
    if (incoming.errored || outgoing.headersSent || outgoing.destroyed) {
      outgoing.destroy();
      return;
    }
    this.#options.onFailure(error);
    this.#write(incoming, outgoing, lastResort(new Refusal('internal_error')));
  }

  #unreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    const complete = [...(this.#unanswered.get(socket) ?? [])].some((incoming) => incoming.complete);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (complete) this.#broken.add(socket);
    else answerUnreadable(error, socket);
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Node's HTTP server around the gateway: size and time limits, a cap on connections, a drain that loses nothing. */
export const createHttpServer = (options: ServerOptions): HttpServer => new Draining(options);
