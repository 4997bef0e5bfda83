import { REFRESH } from '../budget/shares.ts';
import type { Store } from '../budget/store.ts';
import { CachingUpstream } from '../cache/caching.ts';
import { ALONE, type OpenShared } from '../cache/shared-entries.ts';
import type { Config } from '../config/config.ts';
import type { CacheConfig } from '../config/tokens.ts';
import { createSpending, type Sharing } from '../stages/spend.ts';
import type { Channel, Channels } from './channels.ts';

/** What a cache in front of a channel is made from. */
interface Parts {
  readonly store: Store;
  /** How the budget is shared out; nothing where it is not. */
  readonly sharing: Sharing | undefined;
  readonly randomId: () => string;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly openShared?: OpenShared | undefined;
}

/** The caches in front of channels. */
export type Caches = ReadonlyMap<Channel, CachingUpstream>;

/** One in front of each channel of asset data, where answers are kept. */
export function openCaches(config: Config, channels: Channels, parts: Parts): Caches {
  const { cache, tokens } = config;
  if (!cache || !tokens) return new Map();
  const kind = { cache, scope: tokens.baseUrl, timeoutMs: config.upstreamTimeoutMs };
  const kept = [...channels.all()].filter(({ name }) => name.surface === 'tokens');
  return new Map(kept.map((channel) => [channel, cacheOf(kind, channel, parts)]));
}

/** What is kept, of which upstream, and for how long one of its calls may take. */
interface Kind {
  readonly cache: CacheConfig;
  readonly scope: string;
  readonly timeoutMs: number;
}

/** A lease outlasts its call by as much. */
const LEASE_MARGIN_MS = 3_000;

function cacheOf(kind: Kind, { upstream, allowance, room }: Channel, parts: Parts): CachingUpstream {
  const { store, sharing, randomId, secrets, openShared } = parts;
  const { lifetimes, maxBytes } = kind.cache;
  const now = () => performance.now();
  const entries = { secrets, scope: kind.scope, leaseMs: kind.timeoutMs + LEASE_MARGIN_MS, now };
  const spending = createSpending({ store, allowance, room, sharing, randomId });
  const spendAlone = spending({ spend: (take) => take() }, { requestId: randomId(), client: '' });
  return new CachingUpstream({
    ...{ upstream, lifetimes, maxBytes, ...allowance },
    // Nobody signs for a call that nobody waits for.
    spendAlone: (budget) => spendAlone(budget, REFRESH),
    shared: openShared?.(entries) ?? ALONE,
    ...{ randomId, now },
    wallSeconds: () => store.wallNow() / 1_000,
  });
}
