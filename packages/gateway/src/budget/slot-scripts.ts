import { script } from '../stores/redis/keyspace.ts';
import { TIMES } from '../times.ts';
import { MAX_SLOTS_AHEAD, SLOTS_PER_RESERVED, THRESHOLD_FACTOR } from './store.ts';

/**
 * Lua functions that charge slots to shares, by the rules of `store.ts`. `tests/stores/shares.test.ts` tests both. A share is the name of a
 * group, a blank, and a wallet without blanks. A script sets these locals to the names of keys:
 *
 * | local | type | holds |
 * |---|---|---|
 * | `slots` | sorted set | the owner of each slot, by the time when the slot frees |
 * | `holders` | hash | the share of each owner |
 * | `counts` | hash | the number of slots of each group and of each share, and the number of groups (`groups`) |
 */
const SHARES = `
local function count(field, by)
  local held = redis.call('HINCRBY', counts, field, by)
  if held <= 0 then redis.call('HDEL', counts, field) end
  return held
end
local function groupOf(share) return share:match('^%S+') end
local function charge(owner, share)
  redis.call('HSET', holders, owner, share)
  if count(groupOf(share), 1) == 1 then count('groups', 1) end
  count(share, 1)
end
local function discharge(owner)
  local share = redis.call('HGET', holders, owner)
  if not share then return end
  redis.call('HDEL', holders, owner)
  if count(groupOf(share), -1) <= 0 then count('groups', -1) end
  count(share, -1)
end
local function held(field) return tonumber(redis.call('HGET', counts, field)) or 0 end
-- A node without shares expires slots but no charges. forgetLost finds such charges: there are more holders than slots.
local function forgetExpired()
  if redis.call('EXISTS', holders) == 0 then return end
  for _, owner in ipairs(redis.call('ZRANGEBYSCORE', slots, '-inf', now)) do discharge(owner) end
end
local function forgetLost()
  if redis.call('HLEN', holders) <= redis.call('ZCARD', slots) then return end
  for _, owner in ipairs(redis.call('HKEYS', holders)) do
    if not redis.call('ZSCORE', slots, owner) then discharge(owner) end
  end
end
local function leastOf(shares)
  local least = shares[1]
  for _, share in ipairs(shares) do
    if held(groupOf(share)) < held(groupOf(least)) then least = share end
  end
  return least
end
local function holdingsOf(share, limit, free)
  local ofGroup = held(groupOf(share))
  local isPaid = share:sub(1, 5) == 'paid:'
  return { limit = limit, free = free, groups = held('groups'), ofGroup = ofGroup, ofWallet = held(share), isPaid = isPaid }
end
local function slotsLeftFor(of)
  local belowThreshold = math.ceil((${THRESHOLD_FACTOR} * of.free - of.ofGroup) / ${THRESHOLD_FACTOR + 1})
  if of.isPaid then return math.max(0, math.min(of.free, belowThreshold)) end
  local reserved = math.floor(of.limit / ${SLOTS_PER_RESERVED})
  local groups = of.ofGroup > 0 and of.groups or of.groups + 1
  local evenPart = math.max(1, math.floor((of.limit - 2 * reserved) / groups))
  local toEvenPart = math.min(of.free - reserved, evenPart - of.ofGroup)
  return math.max(0, math.min(of.free, belowThreshold, math.max(of.free - 2 * reserved, toEvenPart)))
end
local function exceededShare(of)
  local left = slotsLeftFor(of)
  if left == 0 then return 'group' end
  if of.ofGroup > of.ofWallet and of.ofWallet >= ${THRESHOLD_FACTOR} * left then return 'wallet' end
end
local function shareFreesAt(share, of)
  local ahead = redis.call('ZRANGE', slots, 0, ${MAX_SLOTS_AHEAD - 1}, 'WITHSCORES')
  local freesAt
  for index = 1, #ahead, 2 do
    local other = redis.call('HGET', holders, ahead[index])
    freesAt = tonumber(ahead[index + 1])
    of.free = of.free + 1
    if other and groupOf(other) == groupOf(share) then of.ofGroup = of.ofGroup - 1 end
    if other == share then of.ofWallet = of.ofWallet - 1 end
    if not exceededShare(of) then break end
  end
  return freesAt
end
`;

/** Lua functions that judge nonces and use them up. `LocalStore` has the same rule: change both. `tests/stores/contract.ts` tests both. */
const NONCES = `
local function judge(key, owner, epoch, ofNonce, issuedAt)
  if ofNonce ~= epoch then return 'nonce_used' end
  local ageMs = now - issuedAt * 1000
  if ageMs > ${TIMES.challengeMs} or ageMs < -${TIMES.aheadMs} then return 'nonce_expired' end
  local user = redis.call('GET', key)
  if user and user ~= owner then return 'nonce_used' end
  return 'accepted'
end
local function use_up(key, owner, issuedAt)
  redis.call('SET', key, owner, 'PX', math.ceil(issuedAt * 1000 + ${TIMES.rememberedMs} - now))
end
`;

/**
 * Uses up a nonce. KEYS: the state, the nonce. ARGV: the owner, the nonce's epoch, its time of issue in Unix seconds. Returns the verdict.
 */
export const USE_NONCE = script(`${NONCES}
local owner, ofNonce, issuedAt = ARGV[1], ARGV[2], tonumber(ARGV[3])
note()
local verdict = judge(KEYS[2], owner, redis.call('HGET', KEYS[1], 'epoch'), ofNonce, issuedAt)
if verdict == 'accepted' then use_up(KEYS[2], owner, issuedAt) end
return verdict`);

/**
 * Judges the nonce, a pause, the room, the limit and the share, in this order. If all pass and there is an owner, takes a slot, charges it
 * to a share, and uses up the nonce.
 *
 * | KEYS | holds |
 * |---|---|
 * | 1 | the keyspace's state |
 * | 2 | the slots: each owner by the time when its slot frees |
 * | 3 | the limits of the nodes, each by the time until which it may have held a slot |
 * | 4 | the end of the pause |
 * | 5, 6 | `holders` and `counts` |
 * | 7 | the nonce; absent if there is none |
 *
 * ARGV is one JSON object, which `RedisStore` makes:
 *
 * | member | value |
 * |---|---|
 * | `epoch` | the epoch that the node holds |
 * | `owner` | the owner; empty: take no slot |
 * | `limit` | the most slots |
 * | `nonce` | the nonce's epoch and its time of issue in Unix seconds; absent without a nonce |
 * | `holdMs` | how long a slot is held if the end of its call is unknown |
 * | `hasRoom` | whether the node has room for the call |
 * | `waitHereMs`, `pauseHereMs` | how long this node's own slots and pause make the call wait |
 * | `shares` | the shares that wait for the call |
 *
 * Returns the verdict (or `other epoch`), the wait in milliseconds, the slots left, the milliseconds until one frees, which kind of share
 * is used up, and the share that is charged.
 */
export const ADMIT = script(`${NONCES}
local slots, holders, counts = KEYS[2], KEYS[5], KEYS[6]
${SHARES}
local given = cjson.decode(ARGV[1])
local owner, limit, nonce, hold = given.owner, given.limit, given.nonce, given.holdMs
note()
local epoch, lostAt = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'lostAt'))
if epoch ~= given.epoch then return { 'other epoch' } end
if nonce then
  local verdict = judge(KEYS[7], owner, epoch, nonce.epoch, nonce.issuedAtSeconds)
  if verdict ~= 'accepted' then return { verdict } end
end

-- Nodes with different limits use the lowest one that can still have a held slot.
redis.call('ZADD', KEYS[3], 'GT', now + hold, limit)
outlast(KEYS[3], hold)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
for _, other in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do limit = math.min(limit, tonumber(other)) end

forgetExpired()
redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
forgetLost()
local used = redis.call('ZCARD', slots)
-- Lost slots may have been taken just before the loss: wait as long as they would have been held.
local closed = lostAt and math.max(0, lostAt + hold - now) or 0
local function frees(rank)
  local _, at = unpack(redis.call('ZRANGE', slots, rank, rank, 'WITHSCORES'))
  return at and math.max(1, at - now) or 0
end
local share = redis.call('HGET', holders, owner) or leastOf(given.shares)
local function verdict(kind, wait, scope)
  local left = closed > 0 and 0 or math.max(0, limit - used)
  return { kind, math.ceil(wait), left, math.max(closed, frees(0)), scope or '', kind == 'admitted' and share or '' }
end

if redis.call('ZSCORE', slots, owner) then return verdict('admitted', 0) end
local pause = math.max(given.pauseHereMs, (tonumber(redis.call('GET', KEYS[4])) or 0) - now)
if pause > 0 then return verdict('paused', pause) end
if not given.hasRoom then return verdict('crowded', 0) end
local full = used >= limit and frees(used - limit) or 0
local wait = math.max(given.waitHereMs, closed, full)
local holdings = share and holdingsOf(share, limit, math.max(0, limit - used))
local exceeded = share and exceededShare(holdings)
local untilShare = exceeded and math.max(1, (shareFreesAt(share, holdings) or now) - now) or 0
if wait > 0 then return verdict('limited', math.max(wait, untilShare)) end
if exceeded then return verdict('limited', untilShare, exceeded) end
if owner == '' then return verdict('admitted', 0) end
redis.call('ZADD', slots, now + hold, owner)
outlast(slots, hold)
if share then
  charge(owner, share)
  outlast(holders, hold)
  outlast(counts, hold)
end
if nonce then use_up(KEYS[7], owner, nonce.issuedAtSeconds) end
used = used + 1
return verdict('admitted', 0)`);

/**
 * Gives back the slot and the nonce of an owner. KEYS: the state, the slots, `holders`, `counts`, the nonce if there is one. ARGV: the
 * owner.
 */
export const RELEASE_SLOT = script(`
local slots, holders, counts = KEYS[2], KEYS[3], KEYS[4]
${SHARES}
local owner = ARGV[1]
note()
redis.call('ZREM', slots, owner)
discharge(owner)
if KEYS[5] and redis.call('GET', KEYS[5]) == owner then redis.call('DEL', KEYS[5]) end
return 'given back'`);

/**
 * Notes the end of a call: if its slot is still held, the slot frees one window from now. KEYS: the state, the slots. ARGV: the owner, the
 * window in milliseconds.
 */
export const COMPLETE = script(`
note()
redis.call('ZADD', KEYS[2], 'XX', now + ARGV[2], ARGV[1])
outlast(KEYS[2], tonumber(ARGV[2]))
return 'ok'`);

/** Pauses admissions, unless a longer pause is set. KEYS: the state, the end of the pause. ARGV: the duration in milliseconds. */
export const PAUSE = script(`
note()
local known = tonumber(redis.call('GET', KEYS[2])) or 0
local pausedUntil = math.max(known, now + ARGV[1])
redis.call('SET', KEYS[2], pausedUntil, 'PX', math.ceil(pausedUntil - now))
return 'ok'`);
