import { REFRESH } from '../budget/shares.ts';
import type { Store } from '../budget/store.ts';
import { CachingUpstream } from '../cache/caching.ts';
import type { CacheConfig } from '../config/cache.ts';
import type { Config } from '../config/config.ts';
import { createSpending, type Sharing } from '../stages/spend.ts';
import type { Channel, Channels } from './channels.ts';

/** What a cache in front of a channel is made from. */
interface Parts {
  readonly store: Store;
  /** How the budget is shared out; nothing where it is not. */
  readonly sharing: Sharing | undefined;
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
  { store, sharing, randomId }: Parts,
): CachingUpstream {
  const spending = createSpending({ store, allowance, room, sharing, randomId });
  const spendAlone = spending({ spend: (take) => take() }, { requestId: randomId(), client: '' });
  return new CachingUpstream({
    ...{ upstream, lifetimes, maxBytes, ...allowance },
    // Nobody signs for a call that nobody waits for.
    spendAlone: (budget) => spendAlone(budget, REFRESH),
    now: () => performance.now(),
    wallSeconds: () => store.wallNow() / 1_000,
  });
}
