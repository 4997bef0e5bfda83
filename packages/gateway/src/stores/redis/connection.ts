import { EventEmitter, once } from 'node:events';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { createClient } from '@redis/client';
import { monotonicMs } from '../clock.ts';
import { lastingRefusal } from './refusals.ts';

/** A Lua script: one atomic step on the server. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

/** Thrown if a task takes too long. */
class Late extends Error {}

/** Waits for a task. Rejects with `Late` if the task does not end in time; the task itself goes on. */
function rejectAfter<T>(limitMs: number, words: string, task: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Late(words));
    // A busy process runs timers before it reads sockets. A reply that has already arrived still counts.
    const timer = setTimeout(() => setImmediate(giveUp), limitMs);
    task.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const REDIS_CONNECT_MS = 1_000;

/**
 * Returns the socket options that the library passes on to Node: the server's name for TLS (RFC 6066), and the time for each of its
 * addresses.
 */
function socketFor(url: string) {
  const { protocol, hostname } = new URL(url);
  const isNamed = protocol === 'rediss:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return { ...(isNamed && { servername: hostname }), autoSelectFamilyAttemptTimeout: REDIS_CONNECT_MS / 2 };
}

/**
 * Makes the client of which this connection's clients are copies. It never connects. It exists because the library builds a class of all
 * commands for each client that it creates.
 */
const newModel = (create: typeof createClient, url: string) =>
  create({
    url,
    socket: { reconnectStrategy: false, connectTimeout: REDIS_CONNECT_MS, ...socketFor(url) },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // The library's own time-out covers only commands that are not written yet.
    commandOptions: { timeout: 0 },
  });

type Client = ReturnType<typeof newModel>;

/** Runs a script. Loads it first if the server does not have it. */
async function evaluate(client: Client, { sha1, source }: Script, words: string[]): Promise<readonly unknown[]> {
  try {
    return await client.sendCommand<unknown[]>(['EVALSHA', sha1, ...words]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.sendCommand<unknown[]>(['EVAL', source, ...words]);
  }
}

/** A script with its keys and arguments. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys?: readonly string[];
  readonly args?: readonly (string | number)[];
  readonly timeout?: ReplyTimeout;
}

/** The time-out of a reply, in milliseconds. */
export interface ReplyTimeout {
  readonly waitMs: number;
  /** The part of `waitMs` for the transfer of a large answer. */
  readonly travelMs?: number;
  /** Whether to wait for a new connection if the last one has just been lost. */
  readonly forConnection?: boolean;
}

/** The time-out of commands for which a client's request waits. */
export const REQUEST_TIMEOUT: ReplyTimeout = { waitMs: 200 };
/** The time-out of background commands. */
export const BACKGROUND_TIMEOUT: ReplyTimeout = { waitMs: 1_000 };
/** Returns the time-out of a command with many bytes, which must travel over a slow network. */
export function timeoutFor(bytes: number, { waitMs }: ReplyTimeout): ReplyTimeout {
  const travelMs = Math.ceil(bytes / BYTES_PER_MS);
  return { waitMs: waitMs + travelMs, travelMs };
}
/** Returns the time-out of a second attempt. `waitedMs`: how long the first one took. Both together stay below a quarter of a second. */
export const retryTimeout = (waitedMs: number, travelMs = 0): ReplyTimeout => ({
  waitMs: Math.max(BOTH_MS + travelMs - waitedMs, LEAST_MS + travelMs),
  forConnection: true,
});

/** The reply of a script: the keyspace's clock, the time of day, and the answer. */
export type Reply = readonly [nowMs: unknown, wallMs: unknown, answer: unknown];

/** How many bytes a millisecond the slowest network between a node and Redis transfers. */
const BYTES_PER_MS = 10_000;
/** The time-out of two attempts together, in milliseconds. */
const BOTH_MS = 230;
/** The shortest time-out of a second attempt, in milliseconds. */
const LEAST_MS = 10;
const NOT_CONNECTED = 'Redis is not connected';
const ADVICE = 'Check that it runs, and that REDIS_URL names it';
/**
 * How long after a loss commands wait for a new connection, in milliseconds. They do not wait if an attempt to connect has failed since.
 */
const RECENT_MS = 100;
const SAY_AGAIN_MS = 3_600_000;
/** The pause before the next attempt after a connection that lasted less than this, in milliseconds. */
const RETRY_MS = 200;

/**
 * The connection to Redis. A lost connection is replaced. Without a connection commands reject at once; nothing is queued. A connection
 * whose reply is late is dropped, so that a hanging Redis delays one request and not the next ones.
 */
export class RedisConnection {
  readonly #model: Client;
  /** Emits how each attempt to connect has ended. */
  readonly #attempts = new EventEmitter<{ connect: [Client]; error: [unknown] }>();
  /** The present client; undefined without a connection. Its `error` event ends it. A lost client is replaced, never reused. */
  #client: Client | undefined;
  #lostAtMs = Number.NEGATIVE_INFINITY;
  #questions = 0;
  #isClosed = false;
  #refusal: string | undefined;
  /** When each of the server's refusals was last logged. */
  readonly #said = new Map<string, number>();
  #notice: (message: string) => void = () => undefined;

  private constructor(model: Client) {
    this.#model = model;
    this.#attempts.setMaxListeners(0).on('error', () => undefined);
  }

  /** Loads the client library; nothing is connected yet. */
  static async load(url: string): Promise<RedisConnection> {
    const { createClient } = await import('@redis/client');
    return new RedisConnection(newModel(createClient, url));
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** Why the server refuses our commands, if only the operator can change that; otherwise undefined. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Calls the listener on every new connection. */
  onConnect(listener: () => void): void {
    this.#attempts.on('connect', listener);
  }

  /**
   * Begins to connect, and keeps connected. Reports each time when Redis becomes unavailable or available again. Resolves after the first
   * attempt.
   */
  async connect(notice: (message: string) => void): Promise<void> {
    this.#notice = notice;
    void this.#stayConnected(notice);
    await this.#next(REDIS_CONNECT_MS).catch(() => undefined);
  }

  /** Runs a script and returns its reply. Rejects after the time-out, or if Redis replies with an error. */
  async ask({ script, keys, args, timeout }: Required<ScriptCall>): Promise<Reply> {
    const askedAtMs = monotonicMs();
    const { waitMs } = timeout;
    const mayWait = timeout.forConnection && askedAtMs - this.#lostAtMs <= RECENT_MS;
    const client = this.#client ?? (mayWait ? await this.#next(waitMs) : undefined);
    if (!client) throw new Error(NOT_CONNECTED);
    const number = String(++this.#questions);
    const words = [keys.length, ...keys, ...args, number].map(String);
    const leftMs = askedAtMs + waitMs - monotonicMs();
    const reply = rejectAfter(leftMs, 'no reply in time', evaluate(client, script, words));
    const [echo, nowMs, wallMs, answer] = await reply.catch((error: Error) => {
      if (isFatal(error, timeout)) client.emit('error', error);
      this.#note(lastingRefusal(error));
      throw error;
    });
    if (echo === number) return [nowMs, wallMs, answer];
    client.emit('error', new Error('a reply is missing'));
    throw new Error('Redis has answered another command');
  }

  /** Logs each refusal at most once an hour. */
  #note(refusal: string | undefined): void {
    if (refusal === undefined) return;
    this.#refusal = refusal;
    const [nowMs, saidAtMs = Number.NEGATIVE_INFINITY] = [monotonicMs(), this.#said.get(refusal)];
    if (nowMs - saidAtMs < SAY_AGAIN_MS) return;
    this.#said.set(refusal, nowMs);
    this.#notice(refusal);
  }

  close(): void {
    this.#isClosed = true;
    this.#client?.emit('error', new Error('closed'));
  }

  async #stayConnected(notice: (message: string) => void): Promise<void> {
    let isLost = false;
    this.onConnect(() => {
      if (isLost) notice('Redis answers again');
      isLost = false;
    });
    while (!this.#isClosed) {
      const beganAtMs = monotonicMs();
      const { message } = await this.#live();
      if (this.#isClosed) return;
      if (!isLost)
        notice(`Redis does not answer (${message}); requests that need it are refused until it does. ${ADVICE}`);
      isLost = true;
      if (monotonicMs() - beganAtMs < RETRY_MS) await sleep(RETRY_MS);
    }
  }

  /** Makes a connection, waits until it ends, and returns the reason. */
  async #live(): Promise<Error> {
    const client = this.#model.duplicate();
    const ended = new Promise<Error>((resolve) => {
      client.on('error', (error: Error) => {
        if (this.#client === client) [this.#client, this.#lostAtMs] = [undefined, monotonicMs()];
        // This rejects the commands in progress.
        client.destroy();
        resolve(error);
      });
    });
    try {
      await rejectAfter(REDIS_CONNECT_MS, 'no connection in time', client.connect());
      if (this.#isClosed || !client.isOpen) throw new Error('closed');
      this.#client = client;
      this.#refusal = undefined;
      this.#attempts.emit('connect', client);
    } catch (error) {
      this.#lostAtMs = Number.NEGATIVE_INFINITY;
      this.#attempts.emit('error', error);
      client.emit('error', error);
    }
    return ended;
  }

  /** Waits for the connection that the present attempt makes. */
  async #next(waitMs: number): Promise<Client> {
    const [client] = await rejectAfter(waitMs, NOT_CONNECTED, once(this.#attempts, 'connect'));
    return client;
  }
}

/** Whether to drop the connection after this error: because it hangs, or because it leads to a replica. */
const isFatal = (error: Error, { waitMs }: ReplyTimeout): boolean =>
  (error instanceof Late && waitMs >= REQUEST_TIMEOUT.waitMs) || error.message.startsWith('READONLY');
