import type { Clock } from '../../stores/clock.ts';
import type { RedisConnection } from '../../stores/redis/connection.ts';
import { Keyspace } from '../../stores/redis/keyspace.ts';
import { type Script, script } from '../../stores/redis/script.ts';
import { FEES, type Fee, type FeeBudget, type FeeStore } from './fees.ts';

/**
 * By fee payer: `until` has payments by when they cease to count, `fees` what each of them counts, and all of them together;
 * `new` the same of payments whose payers are not known, and `spent` of those that were sent.
 */
const COUNT = `
local untils, all, total = KEYS[2], { KEYS[3], KEYS[4], KEYS[5] }, 'all'
local function counted(name, field)
  return tonumber(redis.call('HGET', name, field)) or 0
end
local function drop(name, key)
  redis.call('HINCRBY', name, total, 0 - counted(name, key))
  redis.call('HDEL', name, key)
  if redis.call('HLEN', name) == 1 then redis.call('DEL', name) end
end
local function forget(key)
  for _, name in ipairs(all) do if redis.call('HEXISTS', name, key) == 1 then drop(name, key) end end
  redis.call('ZREM', untils, key)
end
local function add(name, key, lamports)
  for _, field in ipairs({ key, total }) do redis.call('HINCRBY', name, field, lamports) end
  redis.call('PEXPIRE', name, ${FEES.spentMs})
end
local function isSpent(key)
  return redis.call('HEXISTS', all[3], key) == 1
end
local function count(key, lamports, isNewPayer, milliseconds)
  local known = tonumber(redis.call('ZSCORE', untils, key)) or 0
  forget(key)
  add(all[1], key, lamports)
  if isNewPayer == '1' then add(all[2], key, lamports) end
  redis.call('ZADD', untils, math.max(known, now + milliseconds), key)
  redis.call('PEXPIRE', untils, ${FEES.spentMs})
end
local function fits(key, lamports, isNewPayer, limit)
  for _, expired in ipairs(redis.call('ZRANGEBYSCORE', untils, '-inf', now)) do forget(expired) end
  if counted(all[1], total) - counted(all[1], key) + lamports > limit then return false end
  return isNewPayer ~= '1' or counted(all[2], total) - counted(all[2], key) + lamports <= limit * ${FEES.newPayersShare}
end
`;

/** KEYS: state, until, fees, new, spent. ARGV: payment, lamports, whether its payer is new, limit. Answers 1, or 0 when too little is left. */
const FITS = script(`${COUNT}
note()
return fits(ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])) and 1 or 0`);

/** The same, and holds it. What was spent is not forgotten sooner because the payment comes again. */
const HOLD = script(`${COUNT}
note()
if not fits(ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])) then return 0 end
if not isSpent(ARGV[1]) then count(ARGV[1], ARGV[2], ARGV[3], ${FEES.heldMs}) end
return 1`);

/** ARGV: payment, lamports, whether its payer is new where nothing is held. */
const SPEND = script(`${COUNT}
local isHeld, isNew = redis.call('HEXISTS', all[1], ARGV[1]) == 1, redis.call('HEXISTS', all[2], ARGV[1])
note()
count(ARGV[1], ARGV[2], isHeld and tostring(isNew) or ARGV[3], ${FEES.spentMs})
add(all[3], ARGV[1], ARGV[2])
return 'ok'`);

/** ARGV: payment. */
const SETTLE = script(`${COUNT}
note()
if redis.call('HEXISTS', all[2], ARGV[1]) == 1 then drop(all[2], ARGV[1]) end
return 'ok'`);

/** ARGV: payment. */
const RELEASE = script(`${COUNT}
note()
if not isSpent(ARGV[1]) then forget(ARGV[1]) end
return 'ok'`);

/** ARGV: payment. */
const EXPIRE = script(`${COUNT}
note()
forget(ARGV[1])
return 'ok'`);

/** The fees that all nodes have spent together. */
export class RedisFees implements FeeStore {
  readonly #space: Keyspace;

  constructor(connection: RedisConnection, clock?: Clock) {
    this.#space = new Keyspace(connection, 'fees', clock);
  }

  async fits({ feePayer, limit }: FeeBudget, { key, lamports, isNewPayer }: Fee): Promise<boolean> {
    return (await this.#run(FITS, feePayer, key, lamports, Number(isNewPayer), limit)) === 1;
  }

  async hold({ feePayer, limit }: FeeBudget, { key, lamports, isNewPayer }: Fee): Promise<boolean> {
    return (await this.#run(HOLD, feePayer, key, lamports, Number(isNewPayer), limit)) === 1;
  }

  async spend({ feePayer }: FeeBudget, { key, lamports, isNewPayer }: Fee): Promise<void> {
    await this.#run(SPEND, feePayer, key, lamports, Number(isNewPayer));
  }

  async settle(feePayer: string, key: string): Promise<void> {
    await this.#run(SETTLE, feePayer, key);
  }

  async release(feePayer: string, key: string): Promise<void> {
    await this.#run(RELEASE, feePayer, key);
  }

  async expire(feePayer: string, key: string): Promise<void> {
    await this.#run(EXPIRE, feePayer, key);
  }

  #run(script: Script, feePayer: string, ...args: (string | number)[]): Promise<unknown> {
    const keys = ['until', 'fees', 'new', 'spent'].map((name) => `${name}:${feePayer}`);
    return this.#space.runWithRetry(() => ({ script, keys, args }));
  }
}
