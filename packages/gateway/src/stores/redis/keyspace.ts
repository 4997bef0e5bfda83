import { type Clock, FollowedClock, monotonicMs } from '../clock.ts';
import type { RedisConnection } from './connection.ts';
import { type Script, TOO_LATE } from './script.ts';

/** A script, and what it is run with. */
export interface Step {
  readonly script: Script;
  /** Names inside the keyspace. */
  readonly keys?: readonly string[];
  readonly args?: readonly (string | number)[];
  /** It was asked a moment ago and the reply was lost. */
  readonly isSecond?: boolean;
}

/** A question is not carried out when it is read this much later: a frozen server reads what was written long ago. */
const GOOD_FOR_MS = 500;
const NO_EXPIRY = 1e15;

/**
 * Keys that share a hash tag, `{gw:<tag>}`, so that one script may touch all of them in a cluster too, and the clock that
 * decides among them.
 */
export class Keyspace {
  readonly #connection: RedisConnection;
  readonly #tag: string;
  readonly #followed = new FollowedClock();
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

  /** One atomic step. Rejects when it is not known to have been carried out. */
  async run({ script, keys = [], args = [], isSecond = false }: Step): Promise<unknown> {
    const askedAtMs = monotonicMs();
    const expiry = this.#followed.isFollowing && !this.#turned ? this.now() + GOOD_FOR_MS : NO_EXPIRY;
    const [nowMs, answer] = await this.#connection.ask({
      script,
      keys: ['state', ...keys].map((name) => `{gw:${this.#tag}}:${name}`),
      args: [...args, expiry, this.#turned?.() ?? ''].map(String),
      isSecond,
    });
    this.#followed.follow(Number(nowMs), askedAtMs);
    if (answer === TOO_LATE) throw new Error('Redis was asked too long ago');
    return answer;
  }
}
