import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

/** Concurrent requests of one connection. The next one begins when the client has taken an answer. */
const MAX_UNANSWERED = 16;
/** Waiting requests of all connections: what Node has parsed can no longer be left in the network. */
const MAX_WAITING = 16_384;

/** A request and the function that begins to answer it. */
interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly begin: () => void;
}

/** Shared by the pipelines of all connections: bounds waiting requests and schedules when they begin. */
export class WaitingRoom {
  #count = 0;
  readonly #ready = new Set<Pipeline>();

  /** Adds one waiting request if there is room. */
  enter(): boolean {
    if (this.#count >= MAX_WAITING) return false;
    this.#count++;
    return true;
  }

  remove(count: number): void {
    this.#count -= count;
  }

  /** Schedules a pipeline's next requests for a later turn of the event loop. */
  call(pipeline: Pipeline): void {
    if (this.#ready.size === 0) setImmediate(() => this.#turn());
    this.#ready.add(pipeline);
  }

  /** One request begins per turn, because Node accepts one new connection per turn: new connections wait for one request at most. */
  #turn(): void {
    const [next] = this.#ready;
    const hasMore = next?.advance();
    if (next) this.#ready.delete(next);
    // A pipeline with more to begin queues again.
    if (next && hasMore) this.#ready.add(next);
    if (this.#ready.size > 0) setImmediate(() => this.#turn());
  }
}

/** The unanswered requests of one connection, in order of arrival. */
export class Pipeline {
  readonly #socket: Socket;
  readonly #room: WaitingRoom;
  readonly #connections: Connections;
  #waiting: Exchange[] = [];
  /** Number of begun requests, and the last one. */
  #begun = 0;
  #lastBegun: IncomingMessage | undefined;
  /** Only what has arrived will be answered: the rest of the stream is unreadable, or too much waits. */
  isBroken = false;
  #isFull = false;

  constructor(socket: Socket, room: WaitingRoom, connections: Connections) {
    this.#socket = socket;
    this.#room = room;
    this.#connections = connections;
    // Node resumes reading by itself, for example at the end of a request.
    socket.on('resume', () => this.#isHeld && socket.pause());
    socket.once('close', () => this.#forgetWaiting());
  }

  /** Whether a complete request awaits its answer: only the latest can be incomplete. */
  get hasWhole(): boolean {
    const count = this.#begun + this.#waiting.length;
    return count > 1 || (count === 1 && this.#latest?.complete === true);
  }

  /** Answers go out in order of their requests; closing after an earlier one would drop later ones. */
  isLatest(incoming: IncomingMessage): boolean {
    return this.#latest === incoming;
  }

  /** Begins an arrived request now or in its turn. */
  take(exchange: Exchange): void {
    if (this.#isFull) return;
    if (this.#begun < MAX_UNANSWERED && this.#waiting.length === 0) this.#begin(exchange);
    else if (this.#room.enter()) this.#wait(exchange);
    else this.#overflow();
  }

  /** Begins the next request if there is room. Returns whether another one can begin. */
  advance(): boolean {
    const next = this.#begun < MAX_UNANSWERED ? this.#waiting.shift() : undefined;
    if (!next) return false;
    this.#room.remove(1);
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

  #begin({ incoming, outgoing, begin }: Exchange): void {
    this.#lastBegun = incoming;
    if (this.#begun++ === 0) this.#connections.note(this.#socket, false);
    // 'close' fires when the connection has taken the answer's last byte.
    outgoing.once('close', this.#end);
    begin();
  }

  #wait(exchange: Exchange): void {
    this.#waiting.push(exchange);
    this.#socket.pause();
  }

  readonly #end = (): void => {
    this.#begun--;
    if (this.#socket.destroyed) return;
    if (this.#waiting.length > 0) this.#room.call(this);
    else if (this.#begun === 0) this.#connections.note(this.#socket, true);
    // An incomplete request will never complete.
    if (this.isBroken && !this.hasWhole) this.#socket.destroySoon();
  };

  /** Too many requests wait: drop this connection's waiting ones and close it after the answers that have begun. */
  #overflow(): void {
    this.#isFull = true;
    this.isBroken = true;
    this.#forgetWaiting();
    this.#socket.pause();
  }

  #forgetWaiting(): void {
    this.#room.remove(this.#waiting.length);
    this.#waiting = [];
  }
}
