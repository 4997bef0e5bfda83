import { createHash } from 'node:crypto';
import type { Cluster, Route, UpstreamProvider } from '@asset-gateway/protocol';
import type { Budget } from '../budget/store.ts';
import type { ApiConfig, ApiUrlConfig } from '../config/apis.ts';
import type { Config } from '../config/config.ts';
import type { PaidConfig } from '../config/paid.ts';
import type { ChannelName } from '../metrics/figures.ts';
import { secretsIn, spellingsOf } from '../secrets.ts';
import type { UpstreamOptions } from '../upstreams/exchange.ts';
import { openJsonRpc } from '../upstreams/json-rpc.ts';
import { openRest } from '../upstreams/rest.ts';
import type { Connection } from '../upstreams/upstream.ts';

/** A configured channel of a provider. */
export interface ChannelPlan {
  readonly name: ChannelName;
  readonly transport: (options: UpstreamOptions) => Connection;
  readonly keys: readonly KeyPlan[];
}

/** One key of a channel: its budget, and the options of its connection. */
export interface KeyPlan {
  readonly budget: Budget;
  readonly options: Omit<UpstreamOptions, 'connections'>;
}

/** How a provider is reached. The protocol's table has everything else about it. */
export interface ProviderEntry {
  /** The most calls in flight from one node, over all of its channels. */
  readonly inFlight: number;
  /** The channels that the configuration opens. */
  readonly channels: readonly ChannelPlan[];
  /** Whether a route may safely be called twice. If set, the channels are tried in order (failover). */
  readonly isRepeatable?: (route: Route) => boolean;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** The usual pause after a provider's 429, in seconds. It is short, because the limit is per second. */
const PAID_PAUSE_SECONDS = 2;
/** How long a stalled upstream may still read an abandoned call, as a fraction of the window: 5 s of a minute. */
const LATE_FRACTION = 1 / 12;

/** Returns all providers and the operator's APIs. `windowMs`: the window of a budget per minute, in milliseconds. */
export function providerEntriesOf(config: Config, windowMs = MINUTE_MS): readonly ProviderEntry[] {
  const { paid, apis, upstreamTimeoutMs } = config;
  /** Our own providers. `config/` reads their variables; the protocol package has their names and rates. */
  const own: Readonly<Record<UpstreamProvider, ProviderEntry>> = {
    tokens: { inFlight: 64, channels: tokensChannels(config, windowMs) },
    alchemy: { inFlight: 32, channels: rpcChannels('alchemy', paid) },
    helius: { inFlight: 32, channels: [...rpcChannels('helius', paid), ...walletChannels(paid)] },
  };
  const ofApi = (api: ApiConfig): ProviderEntry => ({
    inFlight: 64,
    channels: api.urls.map((url, at) => {
      const { timeoutMs } = api;
      const usual = deadlinesOf(upstreamTimeoutMs, api.prices.size > 0 ? paid : undefined);
      const deadlinesMs = timeoutMs > 0 ? { free: timeoutMs, paid: timeoutMs } : usual;
      const given = Object.entries(api.entry.headers ?? {});
      const headers = Object.fromEntries(given.map(([header, value]) => [header.toLowerCase(), value]));
      return keyedChannel(
        { ...url, headers },
        { provider: api.name, surface: surfaceOf(api, at) },
        deadlinesMs,
        windowMs,
      );
    }),
    isRepeatable: ({ upstream }) => !upstream.mayHaveEffect,
  });
  return [...Object.values(own), ...apis.map(ofApi)];
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 16);

/** Returns the surface of a channel. Each further URL of an API has a surface of its own. */
const surfaceOf = ({ name }: ApiConfig, at: number): string => (at === 0 ? name : `${name}:${at + 1}`);

/** Returns the deadlines of a channel in milliseconds, for free rows and for paid ones. */
const deadlinesOf = (free: number, paid?: PaidConfig) => ({ free, paid: paid?.upstreamTimeoutMs ?? 0 });

/** The status by which an API usually refuses its key. */
const REFUSED = [401];

/** A URL with its keys. `headers`: those of each request to an operator's API; absent for our own upstreams. */
type KeyedUrl = ApiUrlConfig & {
  readonly account?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** Returns a channel with one budget for each key, which free and paid rows share. The same key at two accounts has two budgets. */
function keyedChannel(
  { key, keys, secrets = keys, baseUrl, limitPerMinute: limit, account = baseUrl, headers }: KeyedUrl,
  name: ChannelName,
  deadlinesMs: UpstreamOptions['deadlinesMs'],
  windowMs: number,
): ChannelPlan {
  const common = { deadlinesMs, secrets: secrets.flatMap(spellingsOf), usualPauseSeconds: MINUTE_MS / SECOND_MS };
  const times = {
    windowMs,
    inFlightMs: Math.max(deadlinesMs.free, deadlinesMs.paid),
    lateMs: windowMs * LATE_FRACTION,
  };
  // Our own upstreams have no `headers`.
  const refusedKey = headers && (key?.refused ?? REFUSED);
  const planOf = (secret: string): KeyPlan => ({
    budget: { key: `${name.provider}:${hashOf(account + secret)}`, limit, ...times },
    options: { ...common, ...withKey({ baseUrl, key, headers }, secret), refusedKey },
  });
  return { name, transport: openRest, keys: (keys.length > 0 ? keys : ['']).map(planOf) };
}

/** Returns how an upstream request carries a key. */
function withKey({ baseUrl, key, headers = {} }: Pick<KeyedUrl, 'baseUrl' | 'key' | 'headers'>, secret: string) {
  if (!key) return { baseUrl, headers };
  if (key.basic) return { baseUrl, headers: { ...headers, authorization: `Basic ${secret}` } };
  const text = (key.prefix ?? (key.bearer ? 'Bearer ' : '')) + secret;
  if (key.query) return { baseUrl: `${baseUrl}?${new URLSearchParams({ [key.query]: text })}`, headers };
  return { baseUrl, headers: { ...headers, [key.header ?? 'authorization']: text } };
}

/** Returns the channel of a route: its provider's cluster and surface. */
export const channelKeyOf = ({ provider, cluster, surface }: ChannelName): string =>
  [provider, cluster ?? 'any', surface].join(':');

function tokensChannels({ tokens, upstreamTimeoutMs }: Config, windowMs: number): ChannelPlan[] {
  if (!tokens) return [];
  const url = { ...tokens, key: { header: 'x-api-key', env: 'TOKENS_API_KEY' }, account: '' };
  return [keyedChannel(url, { provider: 'tokens', surface: 'tokens' }, deadlinesOf(upstreamTimeoutMs), windowMs)];
}

/** Returns the JSON-RPC channels of each cluster that has a URL. */
function rpcChannels(provider: keyof PaidConfig['rpcUrls'], paid: PaidConfig | undefined): ChannelPlan[] {
  if (!paid) return [];
  const { rpcUrls, limitsPerSecond } = paid;
  const deadlinesMs = deadlinesOf(0, paid);
  return (Object.entries(rpcUrls[provider]) as [Cluster, string][]).flatMap(([cluster, url]) => {
    const options = { baseUrl: url, headers: {}, deadlinesMs, secrets: secretsIn(url).flatMap(spellingsOf) };
    return (['rpc', 'das'] as const).flatMap((surface) =>
      paidChannel({ provider, cluster, surface }, limitsPerSecond[surface], openJsonRpc, options),
    );
  });
}

function walletChannels(paid: PaidConfig | undefined): ChannelPlan[] {
  if (!paid?.wallet) return [];
  const { baseUrl, key } = paid.wallet;
  const headers = { 'x-api-key': key };
  const options = { baseUrl, headers, deadlinesMs: deadlinesOf(0, paid), secrets: spellingsOf(key) };
  const name: ChannelName = { provider: 'helius', cluster: 'mainnet', surface: 'wallet' };
  return paidChannel(name, paid.limitsPerSecond.wallet, openRest, options);
}

/** Returns a channel with a limit per second; none if the limit is 0. */
function paidChannel(
  name: ChannelName,
  limit: number,
  transport: ChannelPlan['transport'],
  options: Omit<KeyPlan['options'], 'usualPauseSeconds'>,
): ChannelPlan[] {
  if (limit === 0) return [];
  const key = `${channelKeyOf(name)}:${hashOf(JSON.stringify([options.baseUrl, options.headers]))}`;
  const budget = { key, limit, windowMs: SECOND_MS, inFlightMs: 0, fromDispatch: true };
  return [{ name, transport, keys: [{ budget, options: { ...options, usualPauseSeconds: PAID_PAUSE_SECONDS } }] }];
}
