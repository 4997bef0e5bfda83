import { createHash } from 'node:crypto';
import type { Cluster, Route } from '@asset-gateway/protocol';
import { InFlight } from '../budget/in-flight.ts';
import { type Sharing, SlotTaker } from '../budget/slot-taker.ts';
import type { Allowance } from '../budget/store.ts';
import { CachingUpstream } from '../cache/caching.ts';
import { NOT_SHARED } from '../cache/shared-entries.ts';
import type { Upstream } from '../call.ts';
import { type ApiConfig, longestMs } from '../config/apis.ts';
import type { ChannelName } from '../metrics/figures.ts';
import { Breaker, type BreakerOptions, resending } from '../upstreams/breaker.ts';
import { failover, type KeyOptions, SeveralKeys, type UpstreamKey } from '../upstreams/several-keys.ts';
import type { Connection } from '../upstreams/upstream.ts';
import type { Foundation } from './dependencies.ts';
import { type ChannelPlan, channelKeyOf, type KeyPlan, type ProviderEntry, providerEntriesOf } from './providers.ts';

/** The upstream of a surface. It has one channel, or several of which the first available one is called. */
export interface Channel {
  readonly name: ChannelName;
  readonly upstream: Upstream;
  readonly keys: Allowance;
  /** Counts this node's calls in flight, of all channels of the provider on this cluster. */
  readonly inFlightLimit: InFlight;
}

/** One upstream, with its keys and limits. */
export interface SingleChannel extends Channel {
  readonly upstream: Breaker;
  readonly keys: SeveralKeys;
  /** How often the upstream has rejected each key. */
  readonly keyRefusals: readonly number[];
}

const SECOND_MS = 1_000;
const now = () => performance.now();
const BREAKER: BreakerOptions = { failures: 5, probeMs: 5_000, now };
const REFUSED_KEYS = { setAsideMs: 60_000, now };

/** Opens all configured channels. */
export class Channels {
  readonly #foundation: Foundation;
  readonly #channels = new Map<string, Channel>();
  /** Each upstream by itself, also those that are tried in turn. */
  readonly singles: SingleChannel[] = [];
  readonly #connections: Connection[] = [];

  constructor(foundation: Foundation) {
    this.#foundation = foundation;
    for (const provider of providerEntriesOf(foundation.config, foundation.windowMs)) this.#openAll(provider);
  }

  /** Returns the channel of a route: that of its cluster, or one that serves every cluster. */
  get(route: Route): Channel | undefined {
    const { provider, surface } = route;
    return this.#channels.get(channelKeyOf(route)) ?? this.#channels.get(channelKeyOf({ provider, surface }));
  }

  all(): Iterable<Channel> {
    return this.#channels.values();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #openAll({ inFlight, channels, isRepeatable }: ProviderEntry): void {
    const inFlightLimits = inFlightLimitsOf(inFlight);
    const opened = channels.map((plan) => this.#open(plan, inFlightLimits[plan.name.cluster ?? 'all'], inFlight));
    this.singles.push(...opened);
    const [first, ...others] = opened;
    if (first && others.length > 0 && isRepeatable) {
      const several = failover([first, ...others], isRepeatable);
      this.#channels.set(channelKeyOf(first.name), { ...first, upstream: several, keys: several });
    } else for (const channel of opened) this.#channels.set(channelKeyOf(channel.name), channel);
  }

  /** Wraps the connections of a channel. An outer wrapper can refuse before an inner one takes a slot. */
  #open({ name, transport, keys: plans }: ChannelPlan, inFlightLimit: InFlight, connections: number): SingleChannel {
    const { breaker, tracing } = this.#foundation;
    const openKey = ({ budget, options }: KeyPlan): UpstreamKey => {
      const connection = transport({ ...options, connections });
      this.#connections.push(connection);
      return { budget, upstream: resending(tracing.calling(connection, name)) };
    };
    const keyRefusals = plans.map(() => 0);
    const keys = new SeveralKeys(plans.map(openKey), this.#keyOptions(name, keyRefusals));
    const upstream = new Breaker(keys, { ...BREAKER, ...breaker });
    return { name, keys, keyRefusals, inFlightLimit, upstream };
  }

  #keyOptions(name: ChannelName, keyRefusals: number[]): KeyOptions {
    const count = keyRefusals.length;
    const { store, refusedKeys, notice, onFailure } = this.#foundation;
    const options = { ...REFUSED_KEYS, ...refusedKeys };
    const setAside = `was refused by the upstream and is set aside for ${options.setAsideMs / SECOND_MS} s`;
    const onRefused = (keyIndex: number, isFirst: boolean): void => {
      keyRefusals[keyIndex] = (keyRefusals[keyIndex] ?? 0) + 1;
      if (count > 1 && isFirst) notice(`${keySettingName(name)} (${keyIndex + 1} of ${count}) ${setAside}`);
    };
    return { ...options, store, onRefused, onFailure };
  }
}

/** The largest fractions of a provider's calls in flight: for devnet, whose money is free, and for one wallet on each cluster. */
const IN_FLIGHT_PARTS = { devnet: 1 / 4, walletOnMainnet: 1 / 4, walletOnDevnet: 1 / 8 } as const;

/**
 * Returns the rooms for calls in flight of each cluster of a provider, within the provider's own room. `all` is for a provider without
 * clusters.
 */
function inFlightLimitsOf(inFlight: number): Readonly<Record<Cluster | 'all', InFlight>> {
  const partOf = (part: number) => Math.ceil(inFlight * part);
  const all = new InFlight(inFlight);
  return {
    all,
    mainnet: new InFlight(inFlight, { within: all, ofWallet: partOf(IN_FLIGHT_PARTS.walletOnMainnet) }),
    devnet: new InFlight(partOf(IN_FLIGHT_PARTS.devnet), {
      within: all,
      ofWallet: partOf(IN_FLIGHT_PARTS.walletOnDevnet),
    }),
  };
}

/** Returns where the keys of a channel are configured. */
const keySettingName = ({ surface }: ChannelName): string =>
  surface === 'tokens' ? 'TOKENS_API_KEY' : `The key of ${surface}`;

/** How much longer a lease lasts than the longest call, in milliseconds. */
const LEASE_MARGIN_MS = 3_000;

/**
 * Returns the scope of an API's shared entries. It covers the names of a row's values, because a cache key has the values alone and the
 * API's next document may name them differently. It also covers the API's other headers, such as a tenant's, because other headers may get
 * other answers.
 */
function scopeOf({ urls, rows, entry }: ApiConfig): string {
  const shapes = rows.map(({ id, httpMethod, upstream, input: { path, query, body } }) => {
    const names = [path, query, body].map((schema) => Object.keys(schema?.properties ?? {}));
    return [id, httpMethod, upstream.path, upstream.headers, names];
  });
  return createHash('sha256')
    .update(JSON.stringify([urls[0]?.baseUrl, entry.headers, entry.operations, shapes]))
    .digest('base64url');
}

/** Opens a cache in front of each channel with cached rows; none if the cache is off. */
export function openCaches(foundation: Foundation, channels: Channels, sharing: Sharing | undefined) {
  const { config, store, randomId, secrets, openShared } = foundation;
  const { cache, tokens, apis } = config;
  if (!cache) return new Map<Channel, CachingUpstream>();
  const scopes = new Map(apis.filter(({ lifetimes: own }) => own.size > 0).map((api) => [api.name, scopeOf(api)]));
  if (tokens) scopes.set('tokens', tokens.baseUrl);
  const { lifetimes, maxBytes } = cache;
  const leaseMs = longestMs(config).free + LEASE_MARGIN_MS;
  const cacheOf = ({ upstream, keys: allowance, inFlightLimit }: Channel, scope: string): CachingUpstream => {
    const dependencies = { store, allowance, inFlightLimit, sharing, randomId };
    return new CachingUpstream({
      ...{ upstream, lifetimes, maxBytes: Math.floor(maxBytes / scopes.size), allowance },
      // A refresh that no client waits for has no wallet and no client address.
      refreshSlots: new SlotTaker(dependencies, {}, { requestId: '', client: '' }),
      shared: openShared?.({ secrets, scope, leaseMs, now }) ?? NOT_SHARED,
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
