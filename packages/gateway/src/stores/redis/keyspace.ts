import { randomBytes } from 'node:crypto';
import { type Clock, FollowedClock, monotonicMs } from '../clock.ts';
import { REQUEST_TIMEOUT, type RedisConnection, type ReplyTimeout, retryTimeout } from './connection.ts';
import { type Script, script, TOO_LATE } from './script.ts';

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

/**
 * Reads the epoch, and makes one where there is none. One that was written by another server (restarted, or a replica that has
 * been promoted) is replaced, for it may have come back with less than there was. When this node held another epoch, data was
 * lost before the present one was born; that is written down, so that the budget stays closed for those who start later too.
 * It is read every second, and notes the time where it can, so that a clock that jumps and comes back is seen.
 * ARGV: the epoch held (or nothing), a fresh one. Answers the epoch.
 */
export const READ_EPOCH = script(`
local held, fresh = ARGV[1], ARGV[2]
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or 'unknown'
local epoch, bornAt, lostAt, home = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'bornAt', 'lostAt', 'home'))
pcall(note)
if not epoch or home ~= server then
  redis.call('HSET', KEYS[1], 'epoch', fresh, 'bornAt', now, 'home', server)
  if epoch or held ~= '' then redis.call('HSET', KEYS[1], 'lostAt', now) end
  return fresh
end
if held ~= '' and held ~= epoch and (tonumber(lostAt) or 0) < tonumber(bornAt) then
  redis.call('HSET', KEYS[1], 'lostAt', bornAt)
end
return epoch`);

/** The epoch of a keyspace, as this node last read it. It changes when data was lost there, or may have been. */
export class Epoch {
  readonly #space: Keyspace;
  #held: string | undefined;

  constructor(space: Keyspace) {
    this.#space = space;
  }

  get held(): string | undefined {
    return this.#held;
  }

  /** Reads it, or makes the first one; where another one was held, the keyspace is told that it has lost data. */
  async read(timeout: ReplyTimeout): Promise<string> {
    const args = [this.#held ?? '', randomBytes(16).toString('hex')];
    this.#held = String(await this.#space.run({ script: READ_EPOCH, args, timeout }));
    return this.#held;
  }
}

const EVICTION_POLICY = script(`
local info = redis.pcall('INFO', 'memory')
return type(info) == 'string' and string.match(info, 'maxmemory_policy:([%w-]+)') or 'unknown'`);

/** Whether the server drops keys when its memory is full, and with them promises. Rejects when it cannot be reached. */
export async function mayEvict(space: Keyspace): Promise<boolean> {
  const policy = await space.run({ script: EVICTION_POLICY });
  return policy !== 'noeviction' && policy !== 'unknown';
}
