import { setTimeout as sleep } from 'node:timers/promises';
import type { createClient } from '@redis/client';
import { monotonicMs } from '../clock.ts';
import type { Script } from './script.ts';

/** Something has not happened in the time that it was given. */
class Late extends Error {}

/** Rejects as late, in these words, when a task has not ended in time. The task itself goes on. */
export function within<T>(limitMs: number, words: string, task: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Late(words));
    // A process that was busy runs its timers before it reads its sockets: what has arrived by now is to count.
    const timer = setTimeout(() => setImmediate(giveUp), limitMs);
    task.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** How long connecting may take. */
export const CONNECT_MS = 1_000;

const newModel = (create: typeof createClient) =>
  create({
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // The client's own covers only what has not been written yet.
    commandOptions: { timeout: 0 },
  });

type Client = ReturnType<typeof newModel>;

/** What all clients are made like, and never connected: the library writes a class of all commands for one that is not. */
let model: Client | undefined;

function newClient(create: typeof createClient, url: string): Client {
  model ??= newModel(create);
  return model.duplicate({ url, socket: { reconnectStrategy: false, connectTimeout: CONNECT_MS } });
}

/** One connection to Redis, from its first byte to its end; it is never mended, but followed by another one. */
export class Link {
  readonly #client: Client;
  #tellEnd: (reason: string) => void = () => undefined;
  /** Why it has ended. */
  readonly ended = new Promise<string>((resolve) => {
    this.#tellEnd = resolve;
  });

  private constructor(client: Client) {
    this.#client = client;
    client.on('error', (error: Error) => this.end(error.message));
  }

  /** Connects, or rejects in time. */
  static async open(create: typeof createClient, url: string): Promise<Link> {
    const client = newClient(create, url);
    const link = new Link(client);
    try {
      await within(CONNECT_MS, 'no connection in time', client.connect());
      return link;
    } catch (error) {
      link.end('');
      throw error;
    }
  }

  /** Runs a script, whether the server has seen it before or not. */
  async evaluate({ sha1, source }: Script, words: string[]): Promise<readonly unknown[]> {
    try {
      return await this.#client.sendCommand<unknown[]>(['EVALSHA', sha1, ...words]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.#client.sendCommand<unknown[]>(['EVAL', source, ...words]);
    }
  }

  /** Closes it; what is under way is rejected. */
  end(reason: string): void {
    this.#tellEnd(reason);
    this.#client.destroy();
  }
}

/** What is asked of Redis in one step. */
interface Evaluation {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly timeout?: ReplyTimeout;
}

/** How long a reply is waited for, in milliseconds, and whether a connection that was lost just now is waited for as well. */
export interface ReplyTimeout {
  readonly waitMs: number;
  /** How much of it is for a large answer to travel. */
  readonly travelMs?: number;
  readonly forConnection?: boolean;
}

/** A request that waits. */
export const REQUEST_TIMEOUT: ReplyTimeout = { waitMs: 200 };
/** A request that waits for so many bytes to travel as well, on a slow network. */
export function timeoutFor(bytes: number): ReplyTimeout {
  const travelMs = Math.ceil(bytes / BYTES_PER_MS);
  return { waitMs: REQUEST_TIMEOUT.waitMs + travelMs, travelMs };
}
/** Nobody waits. */
export const BACKGROUND_TIMEOUT: ReplyTimeout = { waitMs: 1_000 };
/** A request that has waited so long in vain, and asks once more: both together stay below a quarter of a second. */
export const retryTimeout = (waitedMs: number, travelMs = 0): ReplyTimeout => ({
  waitMs: Math.max(BOTH_MS + travelMs - waitedMs, LEAST_MS + travelMs),
  forConnection: true,
});

/** The time of a keyspace's clock, the time of day, and what was asked for. */
export type Reply = readonly [nowMs: unknown, wallMs: unknown, answer: unknown];

/** What a network between a node and Redis carries at the least. */
const BYTES_PER_MS = 10_000;
/** What a request waits when it has to ask twice, */
const BOTH_MS = 230;
/** and what it waits the second time at least. */
const LEAST_MS = 10;
/** A connection that was lost longer ago is not waited for, nor one that could not be made again at once. */
const RECENT_MS = 100;
/** A connection that failed sooner than this, or never stood, is tried again after as long. */
const RETRY_MS = 200;

/**
 * The connection to Redis, made anew as often as it is lost. Without one a question is refused at once: nothing is queued.
 * One that owes a reply for too long is given up, so that a Redis that hangs costs a request one wait and the next ones none.
 */
export class RedisConnection {
  readonly #url: string;
  readonly #createClient: typeof createClient;
  readonly #connectListeners = new Set<() => void>();
  #link: Link | undefined;
  /** Who waits for what becomes of the present attempt to connect. */
  #waiting: { readonly resolve: (link: Link) => void; readonly reject: (error: unknown) => void }[] = [];
  #lostAtMs = Number.NEGATIVE_INFINITY;
  #questions = 0;
  #isClosed = false;

  private constructor(url: string, create: typeof createClient) {
    this.#url = url;
    this.#createClient = create;
  }

  /** Loads the client library; nothing is connected yet. */
  static async load(url: string): Promise<RedisConnection> {
    const { createClient } = await import('@redis/client');
    return new RedisConnection(url, createClient);
  }

  get isConnected(): boolean {
    return this.#link !== undefined;
  }

  /** Has something done on every new connection. */
  onConnect(listener: () => void): void {
    this.#connectListeners.add(listener);
  }

  /** Begins to connect, and says when Redis is lost and found. Resolves when it is there, or cannot be had. */
  async connect(notice: (message: string) => void): Promise<void> {
    const first = within(CONNECT_MS, 'not connected', this.#next());
    void this.#stayConnected(notice);
    await first.catch(() => undefined);
  }

  /** Asks, and answers in time whatever Redis does. Rejects when there is no reply, and when it is an error. */
  async ask({ script, keys, args, timeout = REQUEST_TIMEOUT }: Evaluation): Promise<Reply> {
    const giveUpAtMs = monotonicMs() + timeout.waitMs;
    const link = this.#link ?? (timeout.forConnection ? await this.#soon(timeout.waitMs) : undefined);
    if (!link) throw new Error('Redis is not connected');
    const number = String(++this.#questions);
    const words = [String(keys.length), ...keys, ...args, number];
    const reply = within(giveUpAtMs - monotonicMs(), 'no reply in time', link.evaluate(script, words));
    const [echo, nowMs, wallMs, answer] = await reply.catch((error: Error) => {
      if (isFatal(error, timeout)) this.#drop(link, error.message);
      throw error;
    });
    if (echo === number) return [nowMs, wallMs, answer];
    this.#drop(link, 'a reply is missing');
    throw new Error('Redis has answered another question');
  }

  close(): void {
    this.#isClosed = true;
    if (this.#link) this.#drop(this.#link, 'closed');
  }

  async #stayConnected(notice: (message: string) => void): Promise<void> {
    let isLost = false;
    const found = () => {
      if (isLost) notice('Redis answers again');
      isLost = false;
    };
    while (!this.#isClosed) {
      const beganAtMs = monotonicMs();
      const reason = await this.#live(found);
      if (this.#isClosed) return;
      if (!isLost) notice(`Redis does not answer (${reason}); what needs it is refused until it does`);
      isLost = true;
      if (monotonicMs() - beganAtMs < RETRY_MS) await sleep(RETRY_MS);
    }
  }

  /** The life of one connection; answers with why it ended. Never rejects. */
  async #live(found: () => void): Promise<string> {
    try {
      const link = await Link.open(this.#createClient, this.#url);
      if (this.#isClosed) link.end('closed');
      else this.#enter(link, found);
      const reason = await link.ended;
      this.#leave(link);
      return reason;
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      this.#lostAtMs = Number.NEGATIVE_INFINITY;
      return error instanceof Error ? error.message : 'failed';
    }
  }

  #enter(link: Link, found: () => void): void {
    this.#link = link;
    found();
    for (const { resolve } of this.#waiting.splice(0)) resolve(link);
    for (const listener of this.#connectListeners) listener();
  }

  #leave(link: Link): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#lostAtMs = monotonicMs();
  }

  #drop(link: Link, reason: string): void {
    this.#leave(link);
    link.end(reason);
  }

  /** The next connection, if the last one was lost just now. */
  async #soon(waitMs: number): Promise<Link | undefined> {
    if (monotonicMs() - this.#lostAtMs > RECENT_MS) return undefined;
    return within(waitMs, 'Redis is not connected', this.#next());
  }

  #next(): Promise<Link> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}

/** After these another connection can do better: this one hangs, or leads to a replica. */
const isFatal = (error: Error, { waitMs }: ReplyTimeout): boolean =>
  (error instanceof Late && waitMs >= REQUEST_TIMEOUT.waitMs) || error.message.startsWith('READONLY');
