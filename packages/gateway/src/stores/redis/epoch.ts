import { randomBytes } from 'node:crypto';
import type { ReplyTimeout } from './connection.ts';
import type { Keyspace } from './keyspace.ts';
import { script } from './script.ts';

/**
 * Reads the epoch, and makes one where there is none. One that was written by another server (restarted, or a replica that has
 * been promoted) is replaced, for it may have come back with less than there was. When this node held another epoch, data was
 * lost before the present one was born; that is written down, so that the budget stays closed for those who start later too.
 * It is read every second, and notes the time where it can, so that a clock that jumps and comes back is seen.
 * ARGV: the epoch held (or nothing), a fresh one. Answers the epoch.
 */
export const READ_EPOCH = script(`
local held, fresh = ARGV[1], ARGV[2]
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or 'unknown'
local epoch, bornAt, lostAt, home = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'bornAt', 'lostAt', 'home'))
pcall(note)
if not epoch or home ~= server then
  redis.call('HSET', KEYS[1], 'epoch', fresh, 'bornAt', now, 'home', server)
  if epoch or held ~= '' then redis.call('HSET', KEYS[1], 'lostAt', now) end
  return fresh
end
if held ~= '' and held ~= epoch and (tonumber(lostAt) or 0) < tonumber(bornAt) then
  redis.call('HSET', KEYS[1], 'lostAt', bornAt)
end
return epoch`);

/** The epoch of a keyspace, as this node last read it. It changes when data was lost there, or may have been. */
export class Epoch {
  readonly #space: Keyspace;
  #held: string | undefined;

  constructor(space: Keyspace) {
    this.#space = space;
  }

  get held(): string | undefined {
    return this.#held;
  }

  /** Reads it, or makes the first one; where another one was held, the keyspace is told that it has lost data. */
  async read(timeout: ReplyTimeout): Promise<string> {
    const args = [this.#held ?? '', randomBytes(16).toString('hex')];
    this.#held = String(await this.#space.run({ script: READ_EPOCH, args, timeout }));
    return this.#held;
  }
}
