import { createHash } from 'node:crypto';

/** A Lua script: one atomic step on the server. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

/** The answer to a command that the server read too late; nothing was done. */
export const TOO_LATE = 'too late';

/**
 * The beginning of every script. KEYS[1] is the `state` of its keyspace. The last three of ARGV are the deadline, a clock time set by
 * a test (or empty), and the number of the command. `wall` is the server's time of day in milliseconds. `now` is the keyspace's clock:
 * `wall` plus all steps back that were ever seen, so that it never goes back. A script that writes calls `note` first, which stores
 * the time and fails if the server cannot write. `outlast` extends the expiry of a key to that of its longest entry, because nodes may
 * have different deadlines.
 */
const PRELUDE = `
local expiry, turned, question = unpack(ARGV, #ARGV - 2)
local time = redis.call('TIME')
local wall = tonumber(turned) or (time[1] * 1000 + math.floor(time[2] / 1000))
local last, ahead = unpack(redis.call('HMGET', KEYS[1], 'last', 'ahead'))
local back = math.max(0, (tonumber(last) or wall) - wall)
local now = wall + (tonumber(ahead) or 0) + back
if now > tonumber(expiry) then return { question, now, wall, '${TOO_LATE}' } end
local function note()
  redis.call('HSET', KEYS[1], 'last', wall)
  if back > 0 then redis.call('HINCRBY', KEYS[1], 'ahead', back) end
end
local function outlast(key, milliseconds)
  if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, math.ceil(milliseconds)) end
end
`;

/**
 * Makes a script from Lua text that returns its answer. The reply holds the command's number, both times and the answer: the number
 * detects a reply to another command.
 */
export function script(body: string): Script {
  const source = `${PRELUDE}local function answer()\n${body}\nend\nreturn { question, now, wall, answer() }`;
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}
