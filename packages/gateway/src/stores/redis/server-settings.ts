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
