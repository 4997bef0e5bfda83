import { type Clock, FollowedClock, monotonicMs } from '../clock.ts';
import { REQUEST_TIMEOUT, type RedisConnection, type ReplyTimeout, retryTimeout } from './connection.ts';
import { type Script, TOO_LATE } from './script.ts';

/** A script, and what it is run with. */
export interface Step {
  readonly script: Script;
  /** Names inside the keyspace. */
  readonly keys?: readonly string[];
  readonly args?: readonly (string | number)[];
  readonly timeout?: ReplyTimeout;
}

/** So long after the reply was given up nothing is to be done any more: a server that thaws reads what was written before. */
const GRACE_MS = 300;
const NO_EXPIRY = 1e15;

/**
 * Keys that share a hash tag, `{gw:<tag>}`, so that one script may touch all of them in a cluster too, and the clock that
 * decides among them.
 */
export class Keyspace {
  readonly #connection: RedisConnection;
  readonly #tag: string;
  readonly #followed = new FollowedClock();
  readonly #wall = new FollowedClock();
  readonly #turned: Clock | undefined;

  /** `turned` is a clock instead of Redis's own, for tests that turn it. */
  constructor(connection: RedisConnection, tag: string, turned?: Clock) {
    this.#connection = connection;
    this.#tag = tag;
    this.#turned = turned;
  }

  now(): number {
    return this.#turned?.() ?? this.#followed.now();
  }

  /** The time of day at Redis. */
  wallNow(): number {
    return this.#turned?.() ?? this.#wall.now();
  }

  /** One atomic step. Rejects when it is not known to have been carried out. */
  async run({ script, keys = [], args = [], timeout = REQUEST_TIMEOUT }: Step): Promise<unknown> {
    const askedAtMs = monotonicMs();
    const expiry = this.#followed.isFollowing && !this.#turned ? this.now() + timeout.waitMs + GRACE_MS : NO_EXPIRY;
    const [nowMs, wallMs, answer] = await this.#connection.ask({
      script,
      keys: ['state', ...keys].map((name) => `{gw:${this.#tag}}:${name}`),
      args: [...args, expiry, this.#turned?.() ?? ''].map(String),
      timeout,
    });
    this.#followed.follow(Number(nowMs), askedAtMs);
    this.#wall.follow(Number(wallMs), askedAtMs);
    if (answer === TOO_LATE) throw new Error('Redis was asked too long ago');
    return answer;
  }

  /** The same, asked once more when the reply is lost; the step knows then that it is the second time. */
  async runWithRetry(stepOf: (isSecond: boolean) => Step): Promise<unknown> {
    const askedAtMs = monotonicMs();
    const again = () => {
      const step = stepOf(true);
      return this.run({ ...step, timeout: retryTimeout(monotonicMs() - askedAtMs, step.timeout?.travelMs) });
    };
    return this.run(stepOf(false)).catch(again);
  }
}
