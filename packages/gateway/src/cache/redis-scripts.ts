import { script } from '../stores/redis/script.ts';

/** One reply holds so many bytes of entries; what is beyond counts as missing. */
export const MAX_REPLY_BYTES = 2 * 1024 * 1024;

const TAKING = `
local left = ${MAX_REPLY_BYTES}
-- A key that somebody has put something else under is one that is missing.
local function take(key, tag)
  local text = redis.pcall('GET', key)
  if type(text) ~= 'string' or #text > left or (tag and tag ~= '' and text:sub(1, #tag) == tag) then return '' end
  left = left - #text
  return text
end
`;

/** KEYS: state, entries. Answers the time, and the text of each entry or nothing. */
export const READ = script(`${TAKING}
local found = { now }
for at = 2, #KEYS do found[at] = take(KEYS[at]) end
return found`);

/**
 * KEYS: state, then for each key its entry and its lease. ARGV: owner, for how many milliseconds, and for each key the tag of
 * the entry that the owner has seen, which it is not told again (or nothing). Answers the time, then for each key the text of its entry or nothing, and whether the owner has the lease (1 or 0).
 */
export const CLAIM = script(`${TAKING}
local owner, leaseMs = ARGV[1], ARGV[2]
note()
local found = { now }
for at = 2, #KEYS, 2 do
  local lease = KEYS[at + 1]
  if type(redis.pcall('GET', lease)) == 'table' then redis.call('DEL', lease) end
  found[at] = take(KEYS[at], ARGV[2 + at / 2])
  found[at + 1] = (redis.call('SET', lease, owner, 'NX', 'PX', leaseMs) or redis.call('GET', lease) == owner) and 1 or 0
end
return found`);

const RELEASE = `
local function release(lease, owner)
  if redis.pcall('GET', lease) == owner then redis.call('DEL', lease) end
end
`;

/**
 * All entries together have so many bytes; those that end soonest are dropped first. Nothing is kept for a node that has another
 * time than this server, for the age of its entries would be wrong. KEYS: state, entries by when they end, their sizes, then for
 * each key its entry and its lease. ARGV: owner, the time that the node has, the bytes of all entries, then for each key for how
 * many milliseconds it may be served, and its text (or nothing).
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
local function outlast(key, milliseconds)
  if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, milliseconds) end
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

/** KEYS: state, leases. ARGV: owner. */
export const GIVE_BACK = script(`${RELEASE}
note()
for at = 2, #KEYS do release(KEYS[at], ARGV[1]) end
return 'ok'`);
