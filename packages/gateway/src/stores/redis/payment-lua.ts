import { PAYMENTS } from '../payments.ts';

/** All payments share one hash tag: a step moves a record, its payer's limits and the list of what is open at once. */
export const PAYMENTS_TAG = 'payments';

/** How long a reservation or a settlement stays its owner's without a sign of life. */
export const LEASE_MS = 6_000;

/**
 * What the scripts share. Keys, under the tag: `record:<key>` is a hash; `calls:<key>` counts upstream calls;
 * `in-flight:<payer>` holds keys by the end of their lease, `unsettled:<payer>` calls by their time, and
 * `due:<payer>:<request>` keys by until when their answer is owed, without end while their outcome is open; `open` holds the
 * keys of what is settling (by the end of the lease) or unresolved (by when it was last asked about).
 *
 * A record whose owner has given no sign of life is read as what it means to the others: reserved, it is not there; settling,
 * its outcome is not known.
 */
export const RECORDS = `
local function at(...) return '{gw:${PAYMENTS_TAG}}:' .. table.concat({ ... }, ':') end
local function read(key)
  local names = { 'progress', 'owner', 'payer', 'requestHash', 'leasedUntil', 'forgetAtMs', 'owed' }
  local values = redis.call('HMGET', at('record', key), unpack(names))
  local record = { key = key }
  for index, name in ipairs(names) do record[name] = values[index] end
  if not record.progress then return nil end
  if record.forgetAtMs and tonumber(record.forgetAtMs) < now then return nil end
  if record.leasedUntil and tonumber(record.leasedUntil) <= now then
    if record.progress == 'reserved' then return nil end
    if record.progress == 'settling' then record.progress = 'unresolved' end
  end
  record.isOpen = record.progress == 'settling' or record.progress == 'unresolved'
  return record
end
local function whole(record)
  return record and { record.progress, redis.call('HGETALL', at('record', record.key)) }
end
local function due(payer, requestHash)
  return redis.call('ZREVRANGEBYSCORE', at('due', payer, requestHash), '+inf', '(' .. now, 'LIMIT', 0, 1)[1]
end
local function lease(record)
  local till = now + ${LEASE_MS}
  redis.call('HSET', at('record', record.key), 'leasedUntil', till)
  redis.call('ZADD', at('in-flight', record.payer), till, record.key)
  redis.call('PEXPIRE', at('in-flight', record.payer), ${LEASE_MS})
  if record.progress == 'reserved' then redis.call('PEXPIRE', at('record', record.key), ${LEASE_MS}) end
  if record.progress == 'settling' then redis.call('ZADD', at('open'), till, record.key) end
end
local function leave(record)
  redis.call('ZREM', at('in-flight', record.payer), record.key)
end
local function drop(record)
  leave(record)
  redis.call('ZREM', at('open'), record.key)
  redis.call('ZREM', at('due', record.payer, record.requestHash), record.key)
  redis.call('DEL', at('record', record.key))
end
`;

/**
 * The answers that payments have bought: `answer:<key>`, and in `answers` their keys by when they were kept or last looked at, in `sizes` their
 * bytes. Together they have so many bytes, the oldest dropped first.
 */
export const ANSWERS = `
local function forget(key)
  local size = redis.call('HGET', at('sizes'), key)
  redis.call('DEL', at('answer', key))
  redis.call('ZREM', at('answers'), key)
  redis.call('HDEL', at('sizes'), key)
  redis.call('HINCRBY', KEYS[1], 'answerBytes', 0 - (size or 0))
end
local function keep(key, text, bound)
  forget(key)
  redis.call('SET', at('answer', key), text)
  redis.call('ZADD', at('answers'), now, key)
  redis.call('HSET', at('sizes'), key, #text)
  local total = redis.call('HINCRBY', KEYS[1], 'answerBytes', #text)
  -- Those of open payments do not expire; they step back, so that ten of them do not hide the others.
  local aged = now - ${PAYMENTS.answerMs}
  for _, oldest in ipairs(redis.call('ZRANGEBYSCORE', at('answers'), '-inf', aged, 'LIMIT', 0, 10)) do
    if redis.call('EXISTS', at('answer', oldest)) == 0 then forget(oldest) else redis.call('ZADD', at('answers'), now, oldest) end
  end
  while tonumber(redis.call('HGET', KEYS[1], 'answerBytes')) > tonumber(bound) do
    forget(redis.call('ZRANGE', at('answers'), 0, 0)[1])
  end
end
`;

/** Moves a record to where the evidence says. */
export const CONCLUDE = `
local function settle(record, signature)
  local owedUntil = now + ${PAYMENTS.answerMs}
  redis.call('HSET', at('record', record.key), 'progress', 'settled', 'signature', signature, 'owed', '1')
  local calls = tonumber(redis.call('GET', at('calls', record.key))) or 0
  for call = 1, calls do redis.call('ZREM', at('unsettled', record.payer), record.key .. '#' .. call) end
  redis.call('ZADD', at('due', record.payer, record.requestHash), owedUntil, record.key)
  redis.call('PEXPIRE', at('due', record.payer, record.requestHash), ${PAYMENTS.recordMs})
  return ${PAYMENTS.recordMs}
end
local function refuse(record, reason)
  redis.call('HSET', at('record', record.key), 'progress', 'refused', 'reason', reason, 'owed', '0')
  redis.call('ZREM', at('due', record.payer, record.requestHash), record.key)
  return ${PAYMENTS.refusedMs}
end
local function conclude(record, progress, proof)
  leave(record)
  redis.call('ZREM', at('open'), record.key)
  local keptFor = progress == 'settled' and settle(record, proof) or refuse(record, proof)
  redis.call('HSET', at('record', record.key), 'resolvedAtMs', now, 'forgetAtMs', now + keptFor)
  redis.call('PEXPIRE', at('record', record.key), keptFor)
  if redis.call('PEXPIRE', at('answer', record.key), ${PAYMENTS.answerMs}) == 1 then
    redis.call('ZADD', at('answers'), now, record.key)
  end
end
`;
