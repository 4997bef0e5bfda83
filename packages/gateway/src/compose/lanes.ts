import { createHash } from 'node:crypto';
import type { Cluster, Provider, Route } from '@asset-gateway/protocol';
import type { Config, TokensConfig } from '../config/config.ts';
import type { PaidConfig } from '../config/paid.ts';
import { spellingsOf } from '../secrets.ts';
import type { Budget, Store } from '../stores/ports.ts';
import { JsonRpcUpstream } from '../upstreams/json-rpc.ts';
import { RestUpstream, type UpstreamOptions } from '../upstreams/rest.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** Who answers a family of routes, and what may be asked of them. */
export interface Lane {
  readonly upstream: Upstream & { close(): Promise<void> };
  readonly budget: Budget;
  readonly inFlight: { readonly key: string; readonly limit: number };
}

const TOKENS_IN_FLIGHT = 64;
const PAID_IN_FLIGHT = 32;
const SECOND_MS = 1_000;
const MIN_SECRET_LENGTH = 16;

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 16);

/** The lane of a route: its provider's cluster and surface. */
export const laneKeyOf = ({ provider, cluster, surface }: Pick<Route, 'provider' | 'cluster' | 'surface'>): string =>
  [provider, cluster ?? 'any', surface].join(':');

/** What of a URL is a secret: values of its query, and long parts of its path. */
export function secretsIn(url: string): string[] {
  const { searchParams, pathname } = new URL(url);
  return [...searchParams.values(), ...pathname.split('/')].filter((part) => part.length >= MIN_SECRET_LENGTH);
}

/** The budget of the asset-data routes, which sign-ins are burnt with: one for each upstream key. */
export const tokensBudgetKey = (key: string): string => `tokens:${hashOf(key)}`;

type Connect = (options: UpstreamOptions) => Lane['upstream'];

/** Builds the lanes of everything that is configured. */
export class Lanes {
  readonly #config: Config;
  readonly #store: Store;
  readonly #windowMs: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(config: Config, store: Store, windowMs = 60_000) {
    this.#config = config;
    this.#store = store;
    this.#windowMs = windowMs;
    if (config.tokens) this.#addTokens(config.tokens);
    if (config.paid) this.#addPaid(config.paid);
  }

  get(route: Route): Lane | undefined {
    return this.#lanes.get(laneKeyOf(route));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ upstream }) => upstream.close()));
  }

  #addTokens({ key, baseUrl, limitPerMinute }: TokensConfig): void {
    const inFlightMs = this.#config.upstreamTimeoutMs;
    const budgetKey = tokensBudgetKey(key);
    const budget = { key: budgetKey, limit: limitPerMinute, windowMs: this.#windowMs, inFlightMs };
    const upstream = new RestUpstream({
      baseUrl,
      headers: { 'x-api-key': key },
      deadlineMs: inFlightMs,
      connections: TOKENS_IN_FLIGHT,
      secrets: spellingsOf(key),
      onRateLimited: (_, seconds) => this.#store.pause(budget, seconds * SECOND_MS),
    });
    const lane = { upstream, budget, inFlight: { key: 'tokens', limit: TOKENS_IN_FLIGHT } };
    this.#lanes.set(laneKeyOf({ provider: 'tokens', surface: 'tokens' }), lane);
  }

  #addPaid({ rpcUrls, wallet, limitsPerSecond, upstreamTimeoutMs: deadlineMs }: PaidConfig): void {
    const rpc: Connect = (options) => new JsonRpcUpstream(options);
    for (const provider of ['alchemy', 'helius'] as const) {
      for (const [cluster, url] of Object.entries(rpcUrls[provider]) as [Cluster, string][]) {
        const options = { baseUrl: url, headers: {}, deadlineMs, secrets: secretsIn(url).flatMap(spellingsOf) };
        this.#addLane({ provider, cluster, surface: 'rpc' }, limitsPerSecond.rpc, options, rpc);
        this.#addLane({ provider, cluster, surface: 'das' }, limitsPerSecond.das, options, rpc);
      }
    }
    if (!wallet) return;
    const options = {
      baseUrl: wallet.baseUrl,
      headers: { 'x-api-key': wallet.key },
      deadlineMs,
      secrets: spellingsOf(wallet.key),
    };
    const lane = { provider: 'helius', cluster: 'mainnet', surface: 'wallet' } as const;
    this.#addLane(lane, limitsPerSecond.wallet, options, (all) => new RestUpstream(all));
  }

  #addLane(lane: LaneName, limit: number, options: LaneOptions, connect: Connect): void {
    if (limit === 0) return;
    const key = laneKeyOf(lane);
    const budgetKey = `${key}:${hashOf(JSON.stringify([options.baseUrl, options.headers]))}`;
    const budget = { key: budgetKey, limit, windowMs: SECOND_MS, inFlightMs: 0, fromDispatch: true };
    const onRateLimited = (_: Route, seconds: number) => this.#store.pause(budget, seconds * SECOND_MS);
    const upstream = connect({ ...options, connections: PAID_IN_FLIGHT, onRateLimited });
    this.#lanes.set(key, { upstream, budget, inFlight: { key: lane.provider, limit: PAID_IN_FLIGHT } });
  }
}

interface LaneName {
  readonly provider: Provider;
  readonly cluster: Cluster;
  readonly surface: Route['surface'];
}

type LaneOptions = Omit<UpstreamOptions, 'connections' | 'onRateLimited'>;
