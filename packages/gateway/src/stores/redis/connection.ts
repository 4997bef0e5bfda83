import { setTimeout as sleep } from 'node:timers/promises';
import type { createClient } from '@redis/client';
import { monotonicMs } from '../clock.ts';

/** A Lua script: one atomic step on the server. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

/** A task has exceeded its time limit. */
class Late extends Error {}

/** Rejects with `Late` if a task does not end in time. The task itself continues. */
export function within<T>(limitMs: number, words: string, task: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Late(words));
    // A busy process runs timers before it reads sockets: a reply that has arrived by now still counts.
    const timer = setTimeout(() => setImmediate(giveUp), limitMs);
    task.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export const CONNECT_MS = 1_000;

const newModel = (create: typeof createClient) =>
  create({
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // The client's own time-out covers only commands that are not written yet.
    commandOptions: { timeout: 0 },
  });

type Client = ReturnType<typeof newModel>;

/** The template of all clients, never connected. The library would otherwise build a class of all commands for each client. */
let template: Client | undefined;

/** One connection to Redis. A lost connection is replaced, never reused. */
interface Link {
  readonly client: Client;
  /** Closes the connection and rejects commands in progress. */
  readonly end: (reason: string) => void;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<string>;
}

/** Connects, or rejects after a time-out. */
async function openLink(model: Client, url: string): Promise<Link> {
  const client = model.duplicate({ url, socket: { reconnectStrategy: false, connectTimeout: CONNECT_MS } });
  let end: Link['end'] = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = (reason) => {
      resolve(reason);
      client.destroy();
    };
  });
  client.on('error', (error: Error) => end(error.message));
  try {
    await within(CONNECT_MS, 'no connection in time', client.connect());
    return { client, end, ended };
  } catch (error) {
    end('');
    throw error;
  }
}

/** Runs a script, and loads it if the server does not have it. */
async function evaluate(client: Client, { sha1, source }: Script, words: string[]): Promise<readonly unknown[]> {
  try {
    return await client.sendCommand<unknown[]>(['EVALSHA', sha1, ...words]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.sendCommand<unknown[]>(['EVAL', source, ...words]);
  }
}

/** A script with its keys and arguments. */
export interface Step {
  readonly script: Script;
  readonly keys?: readonly string[];
  readonly args?: readonly (string | number)[];
  readonly timeout?: ReplyTimeout;
}

/** The time-out of a reply, in milliseconds. */
export interface ReplyTimeout {
  readonly waitMs: number;
  /** The part of it for a large answer to travel. */
  readonly travelMs?: number;
  /** Whether to wait for a new connection if the last one was lost just now. */
  readonly forConnection?: boolean;
}

/** For commands that a client request waits for. */
export const REQUEST_TIMEOUT: ReplyTimeout = { waitMs: 200 };
/** For background commands. */
export const BACKGROUND_TIMEOUT: ReplyTimeout = { waitMs: 1_000 };
/** For a command whose bytes must travel over a slow network. */
export function timeoutFor(bytes: number, { waitMs }: ReplyTimeout): ReplyTimeout {
  const travelMs = Math.ceil(bytes / BYTES_PER_MS);
  return { waitMs: waitMs + travelMs, travelMs };
}
/** For a second attempt after `waitedMs`: both attempts together stay below a quarter of a second. */
export const retryTimeout = (waitedMs: number, travelMs = 0): ReplyTimeout => ({
  waitMs: Math.max(BOTH_MS + travelMs - waitedMs, LEAST_MS + travelMs),
  forConnection: true,
});

/** The time of the keyspace's clock, the time of day, and the answer. */
export type Reply = readonly [nowMs: unknown, wallMs: unknown, answer: unknown];

/** The slowest network between a node and Redis. */
const BYTES_PER_MS = 10_000;
/** The time-out of two attempts together. */
const BOTH_MS = 230;
/** The shortest time-out of the second attempt. */
const LEAST_MS = 10;
/** How long after a loss commands wait for a new connection, unless an attempt to connect has failed since. */
const RECENT_MS = 100;
/** The pause before the next attempt after a connection that lasted less than this. */
const RETRY_MS = 200;

/**
 * The connection to Redis, which is replaced whenever it is lost. Without a connection commands reject at once; nothing is queued. A
 * connection whose reply is late is dropped, so that a hanging Redis delays one request and not the next ones.
 */
export class RedisConnection {
  readonly #url: string;
  readonly #model: Client;
  readonly #connectListeners = new Set<() => void>();
  #link: Link | undefined;
  /** Commands that wait for the present attempt to connect. */
  #waiting: { readonly resolve: (link: Link) => void; readonly reject: (error: unknown) => void }[] = [];
  #lostAtMs = Number.NEGATIVE_INFINITY;
  #questions = 0;
  #isClosed = false;

  private constructor(url: string, model: Client) {
    this.#url = url;
    this.#model = model;
  }

  /** Loads the client library; nothing is connected yet. */
  static async load(url: string): Promise<RedisConnection> {
    const { createClient } = await import('@redis/client');
    template ??= newModel(createClient);
    return new RedisConnection(url, template);
  }

  get isConnected(): boolean {
    return this.#link !== undefined;
  }

  /** Calls the listener on every new connection. */
  onConnect(listener: () => void): void {
    this.#connectListeners.add(listener);
  }

  /** Starts to connect, and reports when Redis is lost and found. Resolves after the first attempt. */
  async connect(notice: (message: string) => void): Promise<void> {
    const first = within(CONNECT_MS, 'not connected', this.#next());
    void this.#stayConnected(notice);
    await first.catch(() => undefined);
  }

  /** Runs a script. Rejects after the time-out, or if Redis answers an error. */
  async ask({ script, keys, args, timeout }: Required<Step>): Promise<Reply> {
    const giveUpAtMs = monotonicMs() + timeout.waitMs;
    const link = this.#link ?? (timeout.forConnection ? await this.#soon(timeout.waitMs) : undefined);
    if (!link) throw new Error('Redis is not connected');
    const number = String(++this.#questions);
    const words = [keys.length, ...keys, ...args, number].map(String);
    const reply = within(giveUpAtMs - monotonicMs(), 'no reply in time', evaluate(link.client, script, words));
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
    while (!this.#isClosed) {
      const beganAtMs = monotonicMs();
      const reason = await this.#live(() => {
        if (isLost) notice('Redis answers again');
        isLost = false;
      });
      if (this.#isClosed) return;
      if (!isLost) notice(`Redis does not answer (${reason}); requests that need it are refused until it does`);
      isLost = true;
      if (monotonicMs() - beganAtMs < RETRY_MS) await sleep(RETRY_MS);
    }
  }

  /** Keeps one connection until it ends, and answers the reason. Never rejects. */
  async #live(found: () => void): Promise<string> {
    try {
      const link = await openLink(this.#model, this.#url);
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

  /** The next connection if the last one was lost just now. */
  async #soon(waitMs: number): Promise<Link | undefined> {
    if (monotonicMs() - this.#lostAtMs > RECENT_MS) return undefined;
    return within(waitMs, 'Redis is not connected', this.#next());
  }

  #next(): Promise<Link> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}

/** Whether to drop the connection after an error: it hangs, or it leads to a replica. */
const isFatal = (error: Error, { waitMs }: ReplyTimeout): boolean =>
  (error instanceof Late && waitMs >= REQUEST_TIMEOUT.waitMs) || error.message.startsWith('READONLY');
