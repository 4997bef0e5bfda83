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

/**
 * The longest gap between two stored times, in milliseconds, that means nothing. Nodes store the time every second. After a longer gap the
 * clock has stepped, or no node ran.
 */
const PAUSE_MS = 60_000;
/** The answer to a command that the server read too late. The script has done nothing. */
const TOO_LATE = 'too late';

/**
 * The beginning of every script. `KEYS[1]` is the `state` of its keyspace. A command that the server reads after its deadline does nothing.
 *
 * | ARGV | value |
 * |---|---|
 * | third to last | the deadline by the keyspace's clock, in milliseconds |
 * | second to last | a test's time of day in milliseconds; empty: use the server's |
 * | last | the command's number |
 *
 * | local | meaning |
 * |---|---|
 * | `wall` | the server's time of day in milliseconds |
 * | `now` | the keyspace's clock in milliseconds, which never goes back: `wall` plus every backward step since, less those reversed |
 * | `returns` | whether a long step forward may have undone a step back; READ_EPOCH handles this |
 * | `note` | stores the time; each script that writes calls it first, because it fails if the server cannot write |
 * | `outlast` | makes a key live at least this long; it never shortens a TTL, because nodes may have different time-outs |
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
 * Makes a script from Lua text that returns its answer. The reply has the command's number, both times and the answer. The number shows
 * whether the reply is to this command.
 */
export function script(body: string): Script {
  const source = `${PRELUDE}local function answer()\n${body}\nend\nlocal found = answer()\nreturn { question, now, wall, found }`;
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

/**
 * How long after the time-out a script may still run, in milliseconds. Later it must not, because a suspended server reads old commands
 * when it resumes.
 */
const GRACE_MS = 300;
const NO_EXPIRY = 1e15;

/**
 * Reads the epoch, or makes the first one. Runs every second, and stores the time if it can write, so that a step of the clock is noticed.
 * ARGV: the epoch that the node holds (or empty), a fresh one. Returns the epoch.
 *
 * A new epoch begins in these cases, because used nonces may be lost:
 *
 * | case | reason |
 * |---|---|
 * | another server process answers: a restart, or a promoted replica | it may have lost data |
 * | the clock returns after a step back (`returns`) | meanwhile Redis expired keys by its own clock, perhaps also used nonces |
 *
 * If this node held another epoch, data was lost when the present epoch began. The script stores that time as `lostAt`, so that budgets
 * stay closed on nodes that start later too. The script fails if the server does not say which process it is. Otherwise a loss of its data
 * would go unnoticed.
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
 * Keys with a common hash tag, `{gw:<tag>}`, and the clock that decides among them. In a cluster a script may use all keys with one tag.
 */
export class Keyspace {
  readonly #connection: RedisConnection;
  readonly #tag: string;
  readonly #followed = new FollowedClock();
  readonly #wall = new FollowedClock();
  readonly #turned: Clock | undefined;
  /** The epoch that this node has read last. It changes whenever data may have been lost. */
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

  /** Returns the time of day at Redis. */
  wallNow(): number {
    return this.#turned?.() ?? this.#wall.now();
  }

  /** Runs one atomic step on keys of this keyspace. If this rejects, the step may or may not have run. */
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
