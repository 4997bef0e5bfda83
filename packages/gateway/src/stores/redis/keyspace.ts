import { createHash, randomBytes } from 'node:crypto';
import { type Clock, FollowedClock, monotonicMs } from '../clock.ts';
import {
  REQUEST_TIMEOUT,
  type RedisConnection,
  type ReplyTimeout,
  retryTimeout,
  type Script,
  type ScriptCall,
} from './connection.ts';

/** Nodes store the time every second. After a longer pause, either the clock has stepped or no node ran. */
const PAUSE_MS = 60_000;
/** The answer to a command that the server read too late. The script did nothing. */
const TOO_LATE = 'too late';

/**
 * The beginning of every script. KEYS[1] is the `state` of its keyspace. The last three ARGV are the deadline, a test's clock time (or
 * empty), and the command's number. `wall` is the server's time of day in milliseconds. `now` is the keyspace clock, which does not go
 * back: `wall` plus the steps back that were not undone. A script that writes calls `note` first, which stores the time and fails if the
 * server cannot write. READ_EPOCH handles a step forward that may undo one back. `outlast` never shortens a key's TTL, because nodes may
 * be configured with different time-outs.
 */
const PRELUDE = `
local expiry, testNow, question = unpack(ARGV, #ARGV - 2)
local time = redis.call('TIME')
local wall = tonumber(testNow) or (time[1] * 1000 + math.floor(time[2] / 1000))
local last, ahead = unpack(redis.call('HMGET', KEYS[1], 'last', 'ahead'))
last, ahead = tonumber(last) or wall, tonumber(ahead) or 0
local back = math.max(0, last - wall)
local returns = ahead > 0 and wall - last > ${PAUSE_MS}
local now = wall + ahead + back
if now > tonumber(expiry) then return { question, now, wall, '${TOO_LATE}' } end
local function note()
  redis.call('HSET', KEYS[1], 'last', returns and last or wall)
  if back > 0 then redis.call('HINCRBY', KEYS[1], 'ahead', back) end
end
local function outlast(key, milliseconds)
  if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, math.ceil(milliseconds)) end
end
`;

/**
 * Makes a script from Lua text that returns its answer. The reply holds the command's number, both times and the answer: the number
 * detects a reply to another command.
 */
export function script(body: string): Script {
  const source = `${PRELUDE}local function answer()\n${body}\nend\nlocal found = answer()\nreturn { question, now, wall, found }`;
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

/** How long after the time-out a script may still run. A suspended server reads old commands when it resumes. */
const GRACE_MS = 300;
const NO_EXPIRY = 1e15;

/**
 * Reads the epoch, or makes the first one. It fails if the server does not say which process it is: a loss of its data would go
 * unnoticed, and used nonces would work again. An epoch of another server process (restarted, or a promoted replica) is replaced, because
 * that server may have lost data. So is one before a long step forward that undoes a step back: the server's expiry of keys, by its
 * own clock, may have dropped used nonces, and the keyspace's clock returns to it. If this node held another epoch, data was lost
 * before the present one began; the script notes this time, so that the budget stays closed on nodes that start later too. It runs
 * every second and notes the clock's time if it can write, so that a step of the clock is noticed. ARGV: the epoch held (or empty), a
 * fresh one. Answers the epoch.
 */
const READ_EPOCH = script(`
local held, fresh = ARGV[1], ARGV[2]
local info = redis.pcall('INFO', 'server')
if type(info) ~= 'string' then error('INFO: ' .. info.err) end
local server = string.match(info, 'run_id:(%w+)')
if not server then error('INFO names no run_id') end
local epoch, bornAt, lostAt, home = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'bornAt', 'lostAt', 'home'))
pcall(note)
if not epoch or home ~= server or returns then
  ahead = math.max(0, last + ahead - wall)
  now = wall + ahead
  redis.call('HSET', KEYS[1], 'epoch', fresh, 'bornAt', now, 'home', server, 'last', wall, 'ahead', ahead)
  if epoch or held ~= '' then redis.call('HSET', KEYS[1], 'lostAt', now) end
  return fresh
end
if held ~= '' and held ~= epoch and (tonumber(lostAt) or 0) < tonumber(bornAt) then
  redis.call('HSET', KEYS[1], 'lostAt', bornAt)
end
return epoch`);

const EVICTION_POLICY = script(`
local info = redis.pcall('INFO', 'memory')
return type(info) == 'string' and string.match(info, 'maxmemory_policy:([%w-]+)') or 'unknown'`);

/**
 * Keys with a common hash tag, `{gw:<tag>}`, so that one script may use all of them in a cluster too, and the clock that decides
 * among them.
 */
export class Keyspace {
  readonly #connection: RedisConnection;
  readonly #tag: string;
  readonly #followed = new FollowedClock();
  readonly #wall = new FollowedClock();
  readonly #turned: Clock | undefined;
  /** The epoch as this node last read it. It changes whenever data may have been lost. */
  epoch: string | undefined;

  /** `turned`: a clock in place of Redis's own, for tests. */
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

  /** Runs one atomic step on keys of this keyspace. After a rejection it may or may not have run. */
  async run({ script, keys = [], args = [], timeout = REQUEST_TIMEOUT }: ScriptCall): Promise<unknown> {
    const askedAtMs = monotonicMs();
    const expiry = this.#followed.isFollowing && !this.#turned ? this.now() + timeout.waitMs + GRACE_MS : NO_EXPIRY;
    const [nowMs, wallMs, answer] = await this.#connection.ask({
      script,
      keys: ['state', ...keys].map((name) => `{gw:${this.#tag}}:${name}`),
      args: [...args, expiry, this.#turned?.() ?? ''],
      timeout,
    });
    this.#followed.follow(Number(nowMs), askedAtMs);
    this.#wall.follow(Number(wallMs), askedAtMs);
    if (answer === TOO_LATE) throw new Error('Redis was asked too long ago');
    return answer;
  }

  /** Like `run`, with a second attempt if the first one fails. */
  async runWithRetry(call: ScriptCall): Promise<unknown> {
    const askedAtMs = monotonicMs();
    return this.run(call).catch(() =>
      this.run({ ...call, timeout: retryTimeout(monotonicMs() - askedAtMs, call.timeout?.travelMs) }),
    );
  }

  /** Reads the epoch, or makes the first one. */
  async readEpoch(timeout: ReplyTimeout): Promise<string> {
    const args = [this.epoch ?? '', randomBytes(16).toString('hex')];
    this.epoch = String(await this.run({ script: READ_EPOCH, args, timeout }));
    return this.epoch;
  }

  /** Whether the server evicts keys when its memory is full. Rejects while it is unavailable. */
  async mayEvict(): Promise<boolean> {
    const policy = await this.run({ script: EVICTION_POLICY });
    return policy !== 'noeviction' && policy !== 'unknown';
  }
}
