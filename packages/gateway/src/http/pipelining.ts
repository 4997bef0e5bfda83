import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection are worked on at once. The next one begins when the client has taken an answer. */
const MAX_UNANSWERED = 16;
/** How many may wait on all connections together: what Node has parsed can no longer be left in the network. */
const MAX_WAITING = 16_384;

/** A request, and what begins to answer it. */
interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly begin: () => void;
}

/** What the pipelines of all connections share: the room for requests that wait, and the turns in which they begin. */
export class WaitingRoom {
  #count = 0;
  readonly #ready = new Set<Pipeline>();
  #isScheduled = false;

  /** Takes one request in, if there is room for it. */
  enter(): boolean {
    if (this.#count >= MAX_WAITING) return false;
    this.#count++;
    return true;
  }

  leave(count: number): void {
    this.#count -= count;
  }

  /** Has a pipeline begin its next requests, in the next turn of the event loop or in a later one. */
  call(pipeline: Pipeline): void {
    this.#ready.add(pipeline);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  /** One begins in a turn, because Node takes in one new connection in a turn: nobody waits longer for that than for a begun request. */
  #turn(): void {
    this.#isScheduled = false;
    const [next] = this.#ready;
    if (!next) return;
    this.#ready.delete(next);
    // Whoever has more to begin stands at the end of the line again.
    if (next.advance()) this.#ready.add(next);
    if (this.#ready.size > 0) this.#schedule();
  }
}

/** The requests of one connection that are not answered yet, in the order in which they arrived. */
export class Pipeline {
  readonly #socket: Socket;
  readonly #room: WaitingRoom;
  readonly #onChange: (isIdle: boolean) => void;
  #waiting: Exchange[] = [];
  /** How many have begun, and the last of them. */
  #begun = 0;
  #lastBegun: IncomingMessage | undefined;
  #isBroken = false;
  #isFull = false;

  /** `onChange` is told when the connection has something to answer, and when it has nothing any more. */
  constructor(socket: Socket, room: WaitingRoom, onChange: (isIdle: boolean) => void) {
    this.#socket = socket;
    this.#room = room;
    this.#onChange = onChange;
    // Node reads on by itself, at the end of a request for example.
    socket.on('resume', () => this.#isHeld && socket.pause());
    socket.once('close', () => this.#forgetWaiting());
  }

  /** Whether nothing more will be answered than what has arrived. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether a whole request has no answer yet: none but the latest can be in parts. */
  get hasWhole(): boolean {
    const count = this.#begun + this.#waiting.length;
    return count > 1 || (count === 1 && this.#latest?.complete === true);
  }

  /** Answers are written in the order of their requests; closing after an earlier one would drop the later ones. */
  isLatest(incoming: IncomingMessage): boolean {
    return this.#latest === incoming;
  }

  /** Takes a request that has arrived, to be begun now or in its turn. */
  take(exchange: Exchange): void {
    if (this.#isFull) return;
    if (this.#begun < MAX_UNANSWERED && this.#waiting.length === 0) this.#begin(exchange);
    else if (this.#room.enter()) this.#wait(exchange);
    else this.#overflow();
  }

  /** Begins the next request if there is room for it; whether another one can begin. */
  advance(): boolean {
    const next = this.#begun < MAX_UNANSWERED ? this.#waiting.shift() : undefined;
    if (!next) return false;
    this.#room.leave(1);
    this.#begin(next);
    if (!this.#isHeld) this.#socket.resume();
    return this.#waiting.length > 0 && this.#begun < MAX_UNANSWERED;
  }

  /** Nothing that follows can be read: what has arrived is answered, and then the connection is closed. */
  break(): void {
    this.#isBroken = true;
  }

  get #latest(): IncomingMessage | undefined {
    return this.#waiting.at(-1)?.incoming ?? this.#lastBegun;
  }

  get #isHeld(): boolean {
    return this.#isFull || this.#waiting.length > 0;
  }

  #begin({ incoming, outgoing, begin }: Exchange): void {
    this.#lastBegun = incoming;
    if (this.#begun++ === 0) this.#onChange(false);
    // Node says so when the connection has taken the last byte of the answer.
    outgoing.once('close', () => this.#end());
    begin();
  }

  #wait(exchange: Exchange): void {
    this.#waiting.push(exchange);
    this.#socket.pause();
  }

  #end(): void {
    this.#begun--;
    if (this.#socket.destroyed) return;
    if (this.#waiting.length > 0) this.#room.call(this);
    else if (this.#begun === 0) this.#onChange(true);
    // A request in parts will never be whole any more.
    if (this.#isBroken && !this.hasWhole) this.#socket.destroySoon();
  }

  /** Too much waits on all connections: what waits on this one is taken for unread, and it ends with the answers that have begun. */
  #overflow(): void {
    this.#isFull = true;
    this.#isBroken = true;
    this.#forgetWaiting();
    this.#socket.pause();
  }

  #forgetWaiting(): void {
    this.#room.leave(this.#waiting.length);
    this.#waiting = [];
  }
}
