import { script } from '../stores/redis/script.ts';
import { NONCE_MAX_AGE_SECONDS, NONCE_MAX_AHEAD_SECONDS, NONCE_MEMORY_SECONDS } from './store.ts';

/** Whether a nonce can be burnt by an owner, and the burning. */
const NONCES = `
local function judge(key, owner, epoch, ofNonce, issuedAt)
  if ofNonce ~= epoch then return 'nonce_used' end
  local age = now / 1000 - issuedAt
  if age > ${NONCE_MAX_AGE_SECONDS} or age < -${NONCE_MAX_AHEAD_SECONDS} then return 'nonce_expired' end
  local user = redis.call('GET', key)
  if user and user ~= owner then return 'nonce_used' end
  return 'burnt'
end
local function burn(key, owner, issuedAt)
  redis.call('SET', key, owner, 'PX', math.ceil((issuedAt + ${NONCE_MEMORY_SECONDS}) * 1000 - now))
end
`;

/**
 * KEYS: state, the nonce. ARGV: owner, the nonce's epoch, when it was issued. Answers what became of the nonce.
 */
export const BURN = script(`${NONCES}
local owner, ofNonce, issuedAt = ARGV[1], ARGV[2], tonumber(ARGV[3])
note()
local verdict = judge(KEYS[2], owner, redis.call('HGET', KEYS[1], 'epoch'), ofNonce, issuedAt)
if verdict == 'burnt' then burn(KEYS[2], owner, issuedAt) end
return verdict`);

/** Keys live for as long as the longest of what is in them: nodes may have different deadlines. */
const OUTLAST = `
local function outlast(key, milliseconds)
  if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, math.ceil(milliseconds)) end
end
`;

/**
 * The nonce, a pause, room and the limit are judged in this order; then the slot is taken and the nonce burnt, or neither. The
 * score of a slot is when it frees. KEYS: state, slots, limits, pause, the nonce if there is one. ARGV: the epoch held, owner,
 * limit, window, longest call and how much later that may be read, in milliseconds, room (1 or 0), how long this node's own log
 * and pause say to wait, the nonce's epoch and when it was issued. Answers the verdict (or that the epoch is another one), how
 * long to wait, slots left, when one frees.
 */
export const ADMIT = script(`${NONCES}${OUTLAST}
local held, owner, limit, window, longest, late, room, waitHere, pauseHere, ofNonce, issuedAt = unpack(ARGV, 1, 11)
limit, window, longest, issuedAt = tonumber(limit), tonumber(window), tonumber(longest), tonumber(issuedAt)
local hold = window + longest + late
note()
local epoch, lostAt = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'lostAt'))
if epoch ~= held then return { 'other epoch' } end
if issuedAt then
  local verdict = judge(KEYS[5], owner, epoch, ofNonce, issuedAt)
  if verdict ~= 'burnt' then return { verdict } end
end

-- Nodes with different limits meet at the lowest that was asked with while a slot of it can still be held.
redis.call('ZADD', KEYS[3], 'GT', now + hold, limit)
outlast(KEYS[3], hold)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
for _, other in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do limit = math.min(limit, tonumber(other)) end

redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local used = redis.call('ZCARD', KEYS[2])
-- A slot that was lost may have been taken the instant before: it would have been held for as long.
local closed = lostAt and math.max(0, lostAt + hold - now) or 0
local function frees(rank)
  local _, at = unpack(redis.call('ZRANGE', KEYS[2], rank, rank, 'WITHSCORES'))
  return at and math.max(1, at - now) or 0
end
local function verdict(kind, wait)
  local left = closed > 0 and 0 or math.max(0, limit - used)
  return { kind, math.ceil(wait), left, math.max(closed, frees(0)) }
end

if redis.call('ZSCORE', KEYS[2], owner) then return verdict('admitted', 0) end
local pause = math.max(tonumber(pauseHere), (tonumber(redis.call('GET', KEYS[4])) or 0) - now)
if pause > 0 then return verdict('paused', pause) end
if room == '0' then return verdict('crowded', 0) end
local full = used >= limit and frees(used - limit) or 0
local wait = math.max(tonumber(waitHere), closed, full)
if wait > 0 then return verdict('limited', wait) end
redis.call('ZADD', KEYS[2], now + hold, owner)
outlast(KEYS[2], hold)
if issuedAt then burn(KEYS[5], owner, issuedAt) end
used = used + 1
return verdict('admitted', 0)`);

/** Takes back what this owner was admitted with. KEYS: state, slots, the nonce if there is one. ARGV: owner. */
export const GIVE_BACK = script(`
local owner = ARGV[1]
note()
redis.call('ZREM', KEYS[2], owner)
if KEYS[3] and redis.call('GET', KEYS[3]) == owner then redis.call('DEL', KEYS[3]) end
return 'given back'`);

/** A slot that is still held frees one window from now. KEYS: state, slots. ARGV: owner, window. */
export const COMPLETE = script(`${OUTLAST}
note()
redis.call('ZADD', KEYS[2], 'XX', now + ARGV[2], ARGV[1])
outlast(KEYS[2], tonumber(ARGV[2]))
return 'ok'`);

/** Nobody is admitted for so long, or for as long as was said before. KEYS: state, pause. ARGV: milliseconds. */
export const PAUSE = script(`
note()
local known = tonumber(redis.call('GET', KEYS[2])) or 0
local pausedUntil = math.max(known, now + ARGV[1])
redis.call('SET', KEYS[2], pausedUntil, 'PX', math.ceil(pausedUntil - now))
return 'ok'`);
