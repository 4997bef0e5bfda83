import { createHash } from 'node:crypto';

/** A Lua script: one atomic step on the server. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

/** The answer to a question that was read so late that nobody waits for it any more; nothing was done. */
export const TOO_LATE = 'too late';

/**
 * What every script begins with. KEYS[1] is the `state` of its keyspace; the last three of ARGV are until when it may be
 * carried out, a time that a test has turned the clock to (or nothing), and the question's number. `wall` is the server's time
 * of day in milliseconds, and `now` the keyspace's clock: that, plus as much as it was ever seen to step back, so that it never
 * goes back itself.
 * A script that writes calls `note` first, which remembers the time and fails where nothing can be written.
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
`;

/**
 * Makes a script of Lua text that returns its answer. Its reply is the question's number, both times and the answer, so that a
 * reply that went astray is not taken for another one's.
 */
export function script(body: string): Script {
  const source = `${PRELUDE}local function answer()\n${body}\nend\nreturn { question, now, wall, answer() }`;
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}
