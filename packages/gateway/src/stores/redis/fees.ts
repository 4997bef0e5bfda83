import type { Clock } from '../clock.ts';
import { FEES, type Fee, type FeeBudget, type FeeStore } from '../fees.ts';
import type { RedisConnection } from './connection.ts';
import { Keyspace } from './keyspace.ts';
import { script } from './script.ts';

/** By fee payer: `until` has payments by when they cease to count, `fees` what each of them counts, and all of them together. */
const COUNT = `
local untils, fees, all = KEYS[2], KEYS[3], 'all'
local function counted(field)
  return tonumber(redis.call('HGET', fees, field)) or 0
end
local function forget(key)
  redis.call('HINCRBY', fees, all, 0 - counted(key))
  redis.call('HDEL', fees, key)
end
local function hold(key, lamports, milliseconds)
  local known = tonumber(redis.call('ZSCORE', untils, key)) or 0
  forget(key)
  for _, field in ipairs({ key, all }) do redis.call('HINCRBY', fees, field, lamports) end
  redis.call('ZADD', untils, math.max(known, now + milliseconds), key)
  for _, name in ipairs({ untils, fees }) do redis.call('PEXPIRE', name, ${FEES.spentMs}) end
end
`;

/** KEYS: state, until, fees. ARGV: payment, lamports, limit. Answers 1, or 0 when too little is left. */
const RESERVE = script(`${COUNT}
local key, lamports, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
note()
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', untils, '-inf', now)) do forget(gone) end
redis.call('ZREMRANGEBYSCORE', untils, '-inf', now)
if counted(all) - counted(key) + lamports > limit then return 0 end
hold(key, lamports, ${FEES.reservedMs})
return 1`);

/** KEYS: state, until, fees. ARGV: payment, lamports. */
const SPEND = script(`${COUNT}
note()
hold(ARGV[1], ARGV[2], ${FEES.spentMs})
return 'ok'`);

/** The fees that all nodes have spent together. */
export class RedisFees implements FeeStore {
  readonly #space: Keyspace;

  constructor(connection: RedisConnection, clock?: Clock) {
    this.#space = new Keyspace(connection, 'fees', clock);
  }

  async reserve({ feePayer, limit }: FeeBudget, { key, lamports }: Fee): Promise<boolean> {
    const step = { script: RESERVE, keys: keysOf(feePayer), args: [key, lamports, limit] };
    return (await this.#space.insist(() => step)) === 1;
  }

  async spend({ feePayer }: FeeBudget, { key, lamports }: Fee): Promise<void> {
    const step = { script: SPEND, keys: keysOf(feePayer), args: [key, lamports] };
    await this.#space.insist(() => step);
  }
}

const keysOf = (feePayer: string): string[] => [`until:${feePayer}`, `fees:${feePayer}`];
