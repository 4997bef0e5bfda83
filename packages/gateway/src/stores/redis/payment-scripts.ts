import { PAYMENTS } from '../payments.ts';
import { ANSWERS, CONCLUDE, RECORDS } from './payment-lua.ts';
import { script } from './script.ts';

/** ARGV: key. Answers the record, if there is one: its progress, and its fields and values in turn. */
export const FIND = script(`${RECORDS}
return whole(read(ARGV[1]))`);

/** ARGV: key. Answers the text that is kept for it. */
export const ANSWER = script(`${RECORDS}
local key = ARGV[1]
local record, since = read(key), redis.call('ZSCORE', at('answers'), key)
local isNeeded = record and record.isOpen
if not since or not isNeeded and now - since >= ${PAYMENTS.answerMs} then return nil end
return redis.call('GET', at('answer', key))`);

/** ARGV: key, payer, hash of the request, owner, whether this is the second time, fields and values. Answers the verdict. */
export const RESERVE = script(`${RECORDS}
local key, payer, requestHash, owner, isSecond = unpack(ARGV, 1, 5)
note()
local known = read(key)
if known then
  local isOurs = isSecond == '1' and known.progress == 'reserved' and known.owner == owner
  return isOurs and 'reserved' or 'taken'
end
if due(payer, requestHash) then return 'owed' end
if tonumber(redis.call('GET', at('calls', key)) or 0) >= ${PAYMENTS.callsPerPayment} then return 'exhausted' end
redis.call('ZREMRANGEBYSCORE', at('in-flight', payer), '-inf', now)
redis.call('ZREMRANGEBYSCORE', at('unsettled', payer), '-inf', now - ${PAYMENTS.unsettledWindowMs})
if redis.call('ZCARD', at('in-flight', payer)) >= ${PAYMENTS.inFlightPerPayer} then return 'payer_busy' end
if redis.call('ZCARD', at('unsettled', payer)) >= ${PAYMENTS.unsettledCallsPerPayer} then return 'payer_busy' end
redis.call('DEL', at('record', key))
redis.call('HSET', at('record', key), 'progress', 'reserved', unpack(ARGV, 6, #ARGV - 3))
lease({ key = key, payer = payer, progress = 'reserved' })
return 'reserved'`);

/** ARGV: key, payer, hash of the request, signature, fields and values. */
export const ADOPT = script(`${RECORDS}${CONCLUDE}
local key, payer, requestHash, signature = unpack(ARGV, 1, 4)
note()
local known = read(key)
if known and known.progress == 'settled' then return 'ok' end
redis.call('DEL', at('record', key))
redis.call('HSET', at('record', key), unpack(ARGV, 5, #ARGV - 3))
conclude({ key = key, payer = payer, requestHash = requestHash }, 'settled', signature)
return 'ok'`);

/** ARGV: key, text, bytes that all answers may have. */
export const KEEP = script(`${RECORDS}${ANSWERS}
local key, text, bound = unpack(ARGV, 1, 3)
note()
keep(key, text, bound)
redis.call('PEXPIRE', at('answer', key), ${PAYMENTS.answerMs})
return 'ok'`);

/** ARGV: key. */
export const CALLED = script(`${RECORDS}
local record = read(ARGV[1])
if not record then return 'ok' end
note()
local calls = redis.call('INCR', at('calls', record.key))
redis.call('PEXPIRE', at('calls', record.key), ${PAYMENTS.answerMs})
redis.call('ZADD', at('unsettled', record.payer), now, record.key .. '#' .. calls)
redis.call('PEXPIRE', at('unsettled', record.payer), ${PAYMENTS.unsettledWindowMs})
return 'ok'`);

/** ARGV: key. Answers how many calls there were. */
export const CALLS = script(`${RECORDS}
return redis.call('GET', at('calls', ARGV[1])) or 0`);

/** ARGV: key, owner, whether this is the second time, answer, bytes of all answers, fields and values. Answers the verdict. */
export const SETTLING = script(`${RECORDS}${ANSWERS}
local key, owner, isSecond, text, bound = unpack(ARGV, 1, 5)
note()
local record = read(key)
if not record or record.owner ~= owner then return 'lost' end
if record.progress == 'settling' and isSecond == '1' then return 'settling' end
if record.progress ~= 'reserved' then return 'lost' end
if due(record.payer, record.requestHash) then return 'owed' end
keep(key, text, bound)
record.progress = 'settling'
redis.call('HSET', at('record', key), 'progress', 'settling', unpack(ARGV, 6, #ARGV - 3))
redis.call('PERSIST', at('record', key))
redis.call('ZADD', at('due', record.payer, record.requestHash), '+inf', key)
redis.call('PERSIST', at('due', record.payer, record.requestHash))
lease(record)
return 'settling'`);

/** ARGV: key, signature or nothing. */
export const UNRESOLVED = script(`${RECORDS}
local key, signature = unpack(ARGV, 1, 2)
local record = read(key)
if not record or not record.isOpen then return 'ok' end
note()
leave(record)
redis.call('HSET', at('record', key), 'progress', 'unresolved')
if signature ~= '' then redis.call('HSET', at('record', key), 'signature', signature) end
redis.call('ZADD', at('open'), now, key)
return 'ok'`);

/** ARGV: key, settled or refused, signature or reason, the owner whose own word a refusal is, or nothing. */
export const RESOLVE = script(`${RECORDS}${CONCLUDE}
local key, progress, proof, owner = unpack(ARGV, 1, 4)
local record = read(key)
if not record or record.progress == 'settled' then return 'ok' end
local isTheirs = record.progress == 'settling' and record.owner == owner
if progress == 'refused' and owner ~= '' and not isTheirs then return 'ok' end
note()
conclude(record, progress, proof)
return 'ok'`);

/** Takes back what is only in this state, if it is this owner's. ARGV: key, owner, state. Answers the state that it stays in. */
export const TAKE_BACK = script(`${RECORDS}${ANSWERS}
local key, owner, progress = unpack(ARGV, 1, 3)
local record = read(key)
if not record or record.owner ~= owner then return nil end
if record.progress ~= progress then return record.progress end
note()
drop(record)
forget(key)
return nil`);

/** ARGV: key. */
export const DELIVERED = script(`${RECORDS}
local record = read(ARGV[1])
if not record or record.owed ~= '1' then return 'ok' end
note()
redis.call('HSET', at('record', record.key), 'owed', '0')
redis.call('ZREM', at('due', record.payer, record.requestHash), record.key)
return 'ok'`);

/** ARGV: how many. Answers records whose outcome is not known, those first that were not asked about for longest. */
export const OPEN = script(`${RECORDS}
note()
local found = {}
for _, key in ipairs(redis.call('ZRANGEBYSCORE', at('open'), '-inf', now, 'LIMIT', 0, ARGV[1])) do
  local record = read(key)
  if record and record.progress == 'unresolved' then
    leave(record)
    redis.call('ZADD', at('open'), now, key)
    table.insert(found, whole(record))
  else
    redis.call('ZREM', at('open'), key)
  end
end
return found`);

/** ARGV: payer, hash of the request. Answers the record that is due to them. */
export const OWED = script(`${RECORDS}
local key = due(ARGV[1], ARGV[2])
return key and whole(read(key))`);

/** A sign of life. ARGV: keys and owners in turn. Answers the keys that are not theirs to renew any more. */
export const RENEW = script(`${RECORDS}
note()
local lost = {}
for index = 1, #ARGV - 3, 2 do
  local key, owner = ARGV[index], ARGV[index + 1]
  local record = read(key)
  local isHeld = record and (record.progress == 'reserved' or record.progress == 'settling')
  if isHeld and record.owner == owner then lease(record) else table.insert(lost, key) end
end
return lost`);
