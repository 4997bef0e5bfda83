import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { addressBlockOf } from '../ip-address.ts';
import { isProxy, unmapped } from './client-address.ts';

/** The connections from one IPv4 address, or from one holder's IPv6 addresses. `idle`: the idle ones, longest idle first. */
interface AddressGroup {
  readonly name: string;
  readonly idle: Set<Socket>;
  size: number;
}

/** The most connections of a node. */
export const MAX_CONNECTIONS = 2_000;
/** How many groups fill a node: each may hold one in this many of its connections. */
const GROUPS_TO_FILL = 4;

/** How many requests of one connection are processed at once. The next one begins when the client has taken an answer. */
const MAX_UNANSWERED = 16;
/**
 * The most waiting requests of all connections. Each takes memory, because a request that Node has parsed can no longer wait in the
 * network.
 */
const MAX_WAITING = 16_384;

/**
 * Limits the connections of a node, and the requests that wait on them. A connection is idle if it has no complete unanswered request: it
 * is kept alive, or still sends its request. If a node is full, a new connection closes the oldest idle one: one of its own group if that
 * group holds its share, or else one of any group. Trusted proxies serve many clients and have no share. Each event takes constant time.
 * Node's server can only refuse new connections, and does not limit the requests that wait on one.
 */
export class Connections {
  readonly #maximum: number;
  readonly #maxOfGroup: number;
  readonly #trusted: BlockList;
  readonly #groups = new Map<string, AddressGroup>();
  readonly #members = new Map<Socket, AddressGroup>();
  readonly #idle = new Set<Socket>();
  /** The number of waiting requests, and the pipelines that can begin their next request. */
  #waiting = 0;
  readonly #ready = new Set<Pipeline>();

  constructor(maximum: number, trusted: BlockList) {
    this.#maximum = maximum;
    this.#maxOfGroup = Math.max(1, Math.floor(maximum / GROUPS_TO_FILL));
    this.#trusted = trusted;
  }

  /** Admits a new connection or closes it. Returns whether it stays. */
  admit(socket: Socket): boolean {
    const address = unmapped(socket.remoteAddress);
    const isLimited = !isProxy(address, this.#trusted);
    const name = isLimited ? addressBlockOf(address) : address;
    const group = this.#groups.get(name) ?? { name, idle: new Set(), size: 0 };
    const isCrowded = group.size >= this.#maxOfGroup && isLimited;
    const fitsGroup = !isCrowded || this.#closeOldest(group.idle);
    const hasRoom = fitsGroup && (this.#members.size < this.#maximum || this.#closeOldest(this.#idle));
    if (!hasRoom) {
      socket.destroy();
      return false;
    }
    this.#groups.set(name, group);
    this.#members.set(socket, group);
    group.size++;
    this.note(socket, true);
    socket.once('close', () => this.#forget(socket));
    return true;
  }

  /** Whether a request on any connection awaits its answer. */
  get hasBusy(): boolean {
    return this.#members.size > this.#idle.size;
  }

  /** Marks a connection as idle or busy. */
  note(socket: Socket, isIdle: boolean): void {
    const group = this.#members.get(socket);
    for (const idle of group ? [this.#idle, group.idle] : []) {
      idle.delete(socket);
      if (isIdle) idle.add(socket);
    }
  }

  /** Counts a waiting request. Returns false if there is no room for it. */
  enterWaiting(): boolean {
    if (this.#waiting >= MAX_WAITING) return false;
    this.#waiting++;
    return true;
  }

  /** Counts off waiting requests that have begun or were dropped. */
  leaveWaiting(count: number): void {
    this.#waiting -= count;
  }

  /** Begins a pipeline's next requests, in later turns of the event loop. */
  begin(pipeline: Pipeline): void {
    if (this.#ready.size === 0) setImmediate(() => this.#turn());
    this.#ready.add(pipeline);
  }

  /** Begins one request per turn. Node accepts one new connection per turn, so a new connection waits for at most one request. */
  #turn(): void {
    const [next] = this.#ready;
    const hasMore = next?.advance();
    if (next) this.#ready.delete(next);
    // A pipeline that can begin more requests goes to the end of the queue.
    if (next && hasMore) this.#ready.add(next);
    if (this.#ready.size > 0) setImmediate(() => this.#turn());
  }

  #closeOldest(idle: ReadonlySet<Socket>): boolean {
    const [oldest] = idle;
    if (!oldest) return false;
    this.#forget(oldest);
    oldest.destroy();
    return true;
  }

  #forget(socket: Socket): void {
    const group = this.#members.get(socket);
    if (!group) return;
    this.note(socket, false);
    this.#members.delete(socket);
    group.size--;
    if (group.size === 0) this.#groups.delete(group.name);
  }
}

/** A request, and the function that begins to answer it. */
interface WaitingRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly begin: () => void;
}

/**
 * The unanswered requests of one connection, in their order of arrival. Node can limit how many requests a connection has over its life
 * (`maxRequestsPerSocket`) but not how many at once: it parses and begins all that a client sends.
 */
export class Pipeline {
  readonly #socket: Socket;
  readonly #connections: Connections;
  #waiting: WaitingRequest[] = [];
  /** How many requests have begun, which of them have arrived completely, and which has begun last. */
  #begun = 0;
  readonly #complete = new Set<IncomingMessage>();
  #lastBegun: IncomingMessage | undefined;
  /** Whether to answer only the requests that have arrived, because the rest of the stream is unreadable or too many requests wait. */
  isBroken = false;
  #isFull = false;

  constructor(socket: Socket, connections: Connections) {
    this.#socket = socket;
    this.#connections = connections;
    // Node resumes reading by itself, such as at the end of a request.
    socket.on('resume', () => this.#isHeld && socket.pause());
    socket.once('close', () => this.#forgetWaiting());
  }

  /** Whether a complete request awaits its answer. Only the latest request can be incomplete. */
  get hasCompleteRequest(): boolean {
    const count = this.#begun + this.#waiting.length;
    return count > 1 || (count === 1 && this.#latest?.complete === true);
  }

  /**
   * Whether this request is the connection's latest. Answers leave in the order of their requests, so closing after an earlier one would
   * drop the later ones.
   */
  isLatest(incoming: IncomingMessage): boolean {
    return this.#latest === incoming;
  }

  /** Begins an arrived request now, or queues it. */
  enqueue(exchange: WaitingRequest): void {
    if (this.#isFull) return;
    if (this.#begun < MAX_UNANSWERED && this.#waiting.length === 0) this.#begin(exchange);
    else if (this.#connections.enterWaiting()) this.#wait(exchange);
    else this.#overflow();
  }

  /**
   * Marks a begun request as complete. Before that, its connection counts as idle, so that a client that sends its body slowly keeps no new
   * connection out.
   */
  completed(incoming: IncomingMessage): void {
    if (this.#complete.size === 0) this.#connections.note(this.#socket, false);
    this.#complete.add(incoming);
  }

  /** Begins the next request if there is room. Returns whether another one can begin. */
  advance(): boolean {
    const next = this.#begun < MAX_UNANSWERED ? this.#waiting.shift() : undefined;
    if (!next) return false;
    this.#connections.leaveWaiting(1);
    this.#begin(next);
    if (!this.#isHeld) this.#socket.resume();
    return this.#waiting.length > 0 && this.#begun < MAX_UNANSWERED;
  }

  get #latest(): IncomingMessage | undefined {
    return this.#waiting.at(-1)?.incoming ?? this.#lastBegun;
  }

  get #isHeld(): boolean {
    return this.#isFull || this.#waiting.length > 0;
  }

  #begin({ incoming, outgoing, begin }: WaitingRequest): void {
    this.#lastBegun = incoming;
    this.#begun++;
    // The connection is now the newest idle one.
    if (this.#complete.size === 0) this.#connections.note(this.#socket, true);
    // 'close' fires when the connection has taken the answer's last byte.
    outgoing.once('close', () => this.#end(incoming));
    begin();
  }

  #wait(exchange: WaitingRequest): void {
    this.#waiting.push(exchange);
    this.#socket.pause();
  }

  #end(incoming: IncomingMessage): void {
    this.#begun--;
    this.#complete.delete(incoming);
    if (this.#socket.destroyed) return;
    if (this.#waiting.length > 0) this.#connections.begin(this);
    else if (this.#complete.size === 0) this.#connections.note(this.#socket, true);
    // The rest of the incomplete request will never arrive.
    if (this.isBroken && !this.hasCompleteRequest) this.#socket.destroySoon();
  }

  /** Called when too many requests wait. Drops this connection's waiting requests, and closes it after the answers that have begun. */
  #overflow(): void {
    this.#isFull = true;
    this.isBroken = true;
    this.#forgetWaiting();
    this.#socket.pause();
  }

  #forgetWaiting(): void {
    this.#connections.leaveWaiting(this.#waiting.length);
    this.#waiting = [];
  }
}
