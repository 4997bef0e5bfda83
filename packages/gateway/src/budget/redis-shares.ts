import { MAX_SLOTS_AHEAD, SLOTS_PER_RESERVED, THRESHOLD_FACTOR } from './shares.ts';

/**
 * Lua: who holds the slots of a budget; the locals `holders` and `counts` are keys. `holders` has the share of each slot's owner, `counts` how many slots each group and each
 * share hold, and how many groups there are. A share is a group, a blank and a wallet; neither has a blank inside.
 */
export const CHARGES = `
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
`;

/** Lua: what `shares.ts` says, of charges that are kept so; the local `slots` is a key as well. */
export const SHARES = `
-- A node that shares nothing out lets slots expire without a word; what it has left is found by there being too many holders.
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
local function roomOfGroup(of)
  local belowThreshold = math.ceil((${THRESHOLD_FACTOR} * of.free - of.ofGroup) / ${THRESHOLD_FACTOR + 1})
  if of.isPaid then return math.max(0, math.min(of.free, belowThreshold)) end
  local reserved = math.floor(of.limit / ${SLOTS_PER_RESERVED})
  local groups = of.ofGroup > 0 and of.groups or of.groups + 1
  local evenPart = math.max(1, math.floor((of.limit - 2 * reserved) / groups))
  local toEvenPart = math.min(of.free - reserved, evenPart - of.ofGroup)
  return math.max(0, math.min(of.free, belowThreshold, math.max(of.free - 2 * reserved, toEvenPart)))
end
local function exceededShare(of)
  local room = roomOfGroup(of)
  if room == 0 then return 'group' end
  if of.ofGroup > of.ofWallet and of.ofWallet >= ${THRESHOLD_FACTOR} * room then return 'wallet' end
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
