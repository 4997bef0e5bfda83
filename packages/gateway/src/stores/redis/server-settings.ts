import type { Keyspace } from './keyspace.ts';
import { script } from './script.ts';

const EVICTION_POLICY = script(`
local info = redis.pcall('INFO', 'memory')
return type(info) == 'string' and string.match(info, 'maxmemory_policy:([%w-]+)') or 'unknown'`);

/** Whether the server drops keys when its memory is full, and with them promises. Rejects when it cannot be reached. */
export async function mayEvict(space: Keyspace): Promise<boolean> {
  const policy = await space.run({ script: EVICTION_POLICY });
  return policy !== 'noeviction' && policy !== 'unknown';
}

const APPEND_ONLY = script(`
local info = redis.pcall('INFO', 'persistence')
return type(info) == 'string' and string.match(info, 'aof_enabled:(%d)') or 'unknown'`);

/** Whether the server writes down what it holds as it goes; nothing where it does not say. Rejects when it cannot be reached. */
export async function isAppendOnly(space: Keyspace): Promise<boolean | undefined> {
  const enabled = await space.run({ script: APPEND_ONLY });
  return enabled === 'unknown' ? undefined : enabled === '1';
}
