import { createHash } from 'node:crypto';
import { REFRESH } from '../budget/shares.ts';
import { CachingUpstream } from '../cache/caching.ts';
import { ALONE } from '../cache/shared-entries.ts';
import type { ApiConfig } from '../config/apis.ts';
import { createSpending, type Sharing } from '../stages/spend.ts';
import type { Channel, Channels } from './channels.ts';
import type { Foundation } from './dependencies.ts';

/** The caches in front of channels. */
export type Caches = ReadonlyMap<Channel, CachingUpstream>;

/** How much longer a lease lasts than its call. */
const LEASE_MARGIN_MS = 3_000;

/** What shared entries of an API belong to: a key has a row's values without their names, and the next document may have others. */
function scopeOf({ urls, rows }: ApiConfig): string {
  const shapes = rows.map(({ id, httpMethod, upstream, input: { path, query, body } }) => {
    const names = [path, query, body].map((schema) => Object.keys(schema?.properties ?? {}));
    return [id, httpMethod, upstream.path, names];
  });
  return createHash('sha256')
    .update(JSON.stringify([urls[0]?.baseUrl, shapes]))
    .digest('base64url');
}

/** Opens a cache in front of each channel with cached rows; none if the cache is off. */
export function openCaches(foundation: Foundation, channels: Channels, sharing: Sharing | undefined): Caches {
  const { config, store, randomId, secrets, openShared } = foundation;
  const { cache, tokens, apis } = config;
  if (!cache) return new Map();
  const scopes = new Map(apis.filter(({ lifetimes: own }) => own.size > 0).map((api) => [api.name, scopeOf(api)]));
  if (tokens) scopes.set('tokens', tokens.baseUrl);
  const { lifetimes, maxBytes } = cache;
  const now = () => performance.now();
  const leaseMs = config.upstreamTimeoutMs + LEASE_MARGIN_MS;
  const cacheOf = ({ upstream, keys: allowance, room }: Channel, scope: string): CachingUpstream => {
    const spending = createSpending({ store, allowance, room, sharing, randomId });
    const spendAlone = spending({ spend: (take) => take() }, { requestId: randomId(), client: '' });
    return new CachingUpstream({
      ...{ upstream, lifetimes, maxBytes: Math.floor(maxBytes / scopes.size), allowance },
      // No wallet signs for a refresh that no client waits for.
      spendAlone: (budget) => spendAlone(budget, REFRESH),
      shared: openShared?.({ secrets, scope, leaseMs, now }) ?? ALONE,
      ...{ randomId, now },
      wallSeconds: () => store.wallNow() / 1_000,
    });
  };
  const caches = [...channels.all()].flatMap((channel) => {
    const scope = scopes.get(channel.name.surface);
    return scope === undefined ? [] : [[channel, cacheOf(channel, scope)] as const];
  });
  return new Map(caches);
}
