import type { Store } from '../budget/store.ts';
import { CachingUpstream } from '../cache/caching.ts';
import type { CacheConfig } from '../config/cache.ts';
import type { Config } from '../config/config.ts';
import { createSpending } from '../stages/spend.ts';
import type { Channel, Channels } from './channels.ts';

/** What a cache in front of a channel is made from. */
interface Parts {
  readonly store: Store;
  readonly randomId: () => string;
}

/** The caches in front of channels. */
export type Caches = ReadonlyMap<Channel, CachingUpstream>;

/** One in front of each channel of asset data, where answers are kept. */
export function openCaches({ cache }: Config, channels: Channels, parts: Parts): Caches {
  if (!cache) return new Map();
  const kept = [...channels.all()].filter(({ name }) => name.surface === 'tokens');
  return new Map(kept.map((channel) => [channel, cacheOf(cache, channel, parts)]));
}

function cacheOf(
  { lifetimes, maxBytes }: CacheConfig,
  { upstream, allowance, room }: Channel,
  { store, randomId }: Parts,
): CachingUpstream {
  const spending = createSpending({ store, allowance, room, randomId });
  return new CachingUpstream({
    ...{ upstream, lifetimes, maxBytes, ...allowance },
    // Nobody signs for a call that nobody waits for.
    spendAlone: spending({ spend: (take) => take() }, { requestId: randomId() }),
    now: () => performance.now(),
    wallSeconds: () => store.wallNow() / 1_000,
  });
}
