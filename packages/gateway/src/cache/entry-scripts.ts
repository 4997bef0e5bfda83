import { script } from '../stores/redis/keyspace.ts';

/** The most bytes of entries in one reply. Further entries count as missing. */
export const MAX_REPLY_BYTES = 2 * 1024 * 1024;

/**
 * Reads entries and takes free leases.
 *
 * | KEYS | holds |
 * |---|---|
 * | 1 | the keyspace's state |
 * | 2, 4, … | a key's entry |
 * | 3, 5, … | the same key's lease |
 *
 * | ARGV | value |
 * |---|---|
 * | 1 | the owner; empty: take no lease |
 * | 2 | the lease's duration in milliseconds |
 * | 3, 4, … | for each key the tag of the entry that the owner has seen, or empty |
 *
 * Returns the time, and then for each key its entry's text (empty if seen or missing) and whether the owner has the lease (1 or 0).
 */
export const CLAIM = script(`
local owner, leaseMs = ARGV[1], ARGV[2]
local left = ${MAX_REPLY_BYTES}
-- A key with a value of another type counts as missing.
local function take(key, tag)
  local text = redis.pcall('GET', key)
  if type(text) ~= 'string' or #text > left or (tag ~= '' and text:sub(1, #tag) == tag) then return '' end
  left = left - #text
  return text
end
local function hold(lease)
  if owner == '' then return 0 end
  if type(redis.pcall('GET', lease)) == 'table' then redis.call('DEL', lease) end
  return (redis.call('SET', lease, owner, 'NX', 'PX', leaseMs) or redis.call('GET', lease) == owner) and 1 or 0
end
if owner ~= '' then note() end
local found = { now }
for at = 2, #KEYS, 2 do
  found[at] = take(KEYS[at], ARGV[2 + at / 2])
  found[at + 1] = hold(KEYS[at + 1])
end
return found`);

const RELEASE = `
local function release(lease, owner)
  if redis.pcall('GET', lease) == owner then redis.call('DEL', lease) end
end
`;

/**
 * Writes entries and ends leases. Beyond the byte limit, it evicts the entries that expire soonest. It stores no entry of a node whose
 * clock differs from this server's, because the entry's age would be wrong.
 *
 * | KEYS | holds |
 * |---|---|
 * | 1 | the keyspace's state |
 * | 2 | the entries by the time when they expire |
 * | 3 | the sizes of the entries in bytes, and their `total` |
 * | 4, 6, … | a key's entry |
 * | 5, 7, … | the same key's lease |
 *
 * | ARGV | value |
 * |---|---|
 * | 1 | the owner |
 * | 2 | the node's time in milliseconds |
 * | 3 | the limit of all entries in bytes |
 * | 4, 6, … | for each key the entry's remaining lifetime in milliseconds |
 * | 5, 7, … | for each key the entry's text, or empty |
 */
export const WRITE = script(`${RELEASE}
local owner, theirs, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local ends, sizes = KEYS[2], KEYS[3]
note()
local function drop(entry)
  local size = redis.call('HGET', sizes, entry)
  if size then redis.call('HINCRBY', sizes, 'total', '-' .. size) end
  redis.call('DEL', entry)
  redis.call('ZREM', ends, entry)
  redis.call('HDEL', sizes, entry)
end
local function keep(entry, milliseconds, text)
  drop(entry)
  redis.call('SET', entry, text, 'PX', milliseconds)
  redis.call('ZADD', ends, now + milliseconds, entry)
  redis.call('HSET', sizes, entry, #text)
  redis.call('HINCRBY', sizes, 'total', #text)
  outlast(ends, milliseconds)
  outlast(sizes, milliseconds)
end
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now)) do drop(entry) end
for at = 4, #KEYS, 2 do
  local milliseconds, text = tonumber(ARGV[at]), ARGV[at + 1]
  if text ~= '' and milliseconds >= 1 and math.abs(now - theirs) <= 1000 then keep(KEYS[at], milliseconds, text) end
  release(KEYS[at + 1], owner)
end
while (tonumber(redis.call('HGET', sizes, 'total')) or 0) > most do
  local soonest = redis.call('ZRANGE', ends, 0, 0)[1]
  if not soonest then break end
  drop(soonest)
end
return 'ok'`);

/** Ends the owner's leases. KEYS: the state, then the leases. ARGV: the owner. */
export const END_LEASES = script(`${RELEASE}
note()
for at = 2, #KEYS do release(KEYS[at], ARGV[1]) end
return 'ok'`);
