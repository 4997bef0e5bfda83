import { script } from '../../stores/redis/script.ts';
import { PAYMENTS } from '../record.ts';

/**
 * Keys of a store of payments: `state` has the epoch and the clock. A document is a hash of its version and its text. `answers`
 * has payments by when their answer was kept or last looked at, `sizes` the bytes of each, `open` payments by from when on
 * their outcome may have to be asked for; `answer:<payment>` is a text. `journal` is a stream of entries, by the time of the clock.
 */

/** KEYS: state, documents. Answers version and text of each in turn. */
export const READ = script(`
local found = {}
for index = 2, #KEYS do
  local version, text = unpack(redis.call('HMGET', KEYS[index], 'version', 'text'))
  table.insert(found, version or '')
  table.insert(found, text or '')
end
return found`);

/** All answers together have so many bytes, the oldest dropped first; those that are needed step back once when they have aged. */
const ANSWERS = `
local answers, sizes = KEYS[2], KEYS[3]
local function named(key) return string.sub(KEYS[1], 1, -6) .. 'answer:' .. key end
local function forget(key)
  local size = redis.call('HGET', sizes, key)
  redis.call('DEL', named(key))
  redis.call('ZREM', answers, key)
  redis.call('HDEL', sizes, key)
  redis.call('HINCRBY', KEYS[1], 'answerBytes', 0 - (size or 0))
end
local function keep(key, text, bound)
  forget(key)
  redis.call('SET', named(key), text)
  redis.call('ZADD', answers, now, key)
  redis.call('HSET', sizes, key, #text)
  redis.call('HINCRBY', KEYS[1], 'answerBytes', #text)
  local aged = now - ${PAYMENTS.answerMs}
  for _, oldest in ipairs(redis.call('ZRANGEBYSCORE', answers, '-inf', aged, 'LIMIT', 0, 10)) do
    if redis.call('EXISTS', named(oldest)) == 0 then forget(oldest) else redis.call('ZADD', answers, now, oldest) end
  end
  while tonumber(redis.call('HGET', KEYS[1], 'answerBytes')) > tonumber(bound) do
    forget(redis.call('ZRANGE', answers, 0, 0)[1])
  end
end
`;

/** An entry of the journal; each lets go of some that are older than they are to be kept. The stream's own time never goes back. */
const APPEND = `
local function append(entry, network, owed, keepMs)
  local function add(call, id)
    local oldest = string.format('%.0f', now - tonumber(keepMs))
    return call('XADD', KEYS[5], 'MINID', '~', oldest, 'LIMIT', 1000, id, 'entry', entry)
  end
  local added = add(redis.pcall, string.format('%.0f-*', now))
  if type(added) == 'table' and added.err then add(redis.call, '*') end
  if owed ~= '0' then redis.call('HINCRBY', KEYS[1], 'owed:' .. network, owed) end
end
`;

/**
 * Compare-and-set: writes everything, where each document still has the version that it was read with; the same commit that
 * comes a second time knows its own version again. KEYS: state, answers, sizes, open (or covered), journal, documents. ARGV: the epoch held, the new
 * version; the payment (or nothing), from when on it is open (nothing: it is not; \`-\`: as before), what becomes of its answer
 * (\`put\`, \`until\`, \`drop\` or nothing), for how many milliseconds (or nothing), its text, the bytes of all answers, how long
 * entries are kept; then for each document its version (or nothing), its new text (nothing removes it, \`-\` leaves it as it is)
 * and for how many milliseconds (or nothing); then each entry, its network and what it adds to the credit that is owed there. Answers the verdict, when the store began and when it was seen to have lost data; or the documents
 * as they are.
 */
export const COMMIT = script(`${ANSWERS}${APPEND}
local held, version, key, openFrom, becomes, forgetMs, text, bound, keepMs = unpack(ARGV, 1, 9)
local function wordsAt(index) return 10 + (index - 6) * 3 end
local epoch, bornAt, lostAt = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'bornAt', 'lostAt'))
if epoch ~= held then return { 'other epoch' } end
local isOurs, isSame = false, true
for index = 6, #KEYS do
  local present = redis.call('HGET', KEYS[index], 'version') or ''
  if present == version then isOurs = true end
  if present ~= ARGV[wordsAt(index)] then isSame = false end
end
if isOurs then return { 'written', bornAt, lostAt } end
if not isSame then
  local found = { 'changed' }
  for index = 6, #KEYS do
    local present, document = unpack(redis.call('HMGET', KEYS[index], 'version', 'text'))
    table.insert(found, present or '')
    table.insert(found, document or '')
  end
  return found
end
note()
for index = 6, #KEYS do
  local at = wordsAt(index)
  local document, milliseconds = ARGV[at + 1], ARGV[at + 2]
  if document == '' then redis.call('DEL', KEYS[index])
  elseif document ~= '-' then
    redis.call('HSET', KEYS[index], 'version', version, 'text', document)
    if milliseconds == '' then redis.call('PERSIST', KEYS[index]) else redis.call('PEXPIRE', KEYS[index], milliseconds) end
  end
end
for index = wordsAt(#KEYS + 1), #ARGV - 3, 3 do append(ARGV[index], ARGV[index + 1], ARGV[index + 2], keepMs) end
if becomes == 'put' then keep(key, text, bound) end
if becomes == 'drop' then forget(key) end
if becomes ~= '' and forgetMs ~= '' and redis.call('PEXPIRE', named(key), forgetMs) == 1 then redis.call('ZADD', answers, now, key) end
if openFrom == '' then redis.call('ZREM', KEYS[4], key) elseif openFrom ~= '-' then redis.call('ZADD', KEYS[4], openFrom, key) end
return { 'written', bornAt, lostAt }`);

/** KEYS: state, answers, an answer. ARGV: payment. Answers the text, until it is forgotten. */
export const ANSWER = script(`
local since = redis.call('ZSCORE', KEYS[2], ARGV[1])
local isNeeded = redis.call('PTTL', KEYS[3]) == -1
if not since or not isNeeded and now - since >= ${PAYMENTS.answerMs} then return nil end
return redis.call('GET', KEYS[3])`);

/** KEYS: state, open. ARGV: how many, for how many milliseconds not again. Answers payments whose time has come; each again only after all others. */
export const OPEN = script(`
note()
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, key in ipairs(found) do redis.call('ZADD', KEYS[2], now + ARGV[2], key) end
return found`);

/** KEYS: state. ARGV: networks. Answers what is owed as credit on each, in turn. */
export const OWED = script(`
local found = {}
for index = 1, #ARGV - 3 do table.insert(found, redis.call('HGET', KEYS[1], 'owed:' .. ARGV[index]) or '0') end
return found`);

/** KEYS: state, journal. ARGV: from which entry on, how many. Answers the place and the text of each in turn. */
export const JOURNAL = script(`
local found = {}
for _, each in ipairs(redis.call('XRANGE', KEYS[2], ARGV[1], '+', 'COUNT', ARGV[2])) do
  table.insert(found, each[1])
  table.insert(found, each[2][2])
end
return found`);

/** KEYS: state, open. ARGV: how many. Answers payments whose outcome may have to be asked for, whoever has them in hand. */
export const ALL_OPEN = script("return redis.call('ZRANGE', KEYS[2], 0, ARGV[1] - 1)");
