import { createHash } from 'node:crypto';
import type { Cluster, Route } from '@asset-gateway/protocol';
import type { Config, TokensConfig } from '../config/config.ts';
import type { PaidConfig } from '../config/paid.ts';
import { spellingsOf } from '../secrets.ts';
import type { Budget, Store } from '../stores/ports.ts';
import { Breaker, type BreakerOptions } from '../upstreams/breaker.ts';
import { JsonRpcUpstream } from '../upstreams/json-rpc.ts';
import { pausing } from '../upstreams/pausing.ts';
import { resending } from '../upstreams/resending.ts';
import { RestUpstream, type UpstreamOptions } from '../upstreams/rest.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** Which routes a lane is for. */
export type LaneName = Pick<Route, 'provider' | 'cluster' | 'surface'>;

/** Who answers a family of routes, and what may be asked of them. */
export interface Lane {
  readonly name: LaneName;
  readonly upstream: Breaker;
  readonly budget: Budget;
  readonly inFlight: { readonly key: string; readonly limit: number };
}

/** What lanes are built from. */
export interface LaneParts {
  readonly config: Config;
  readonly store: Store;
  /** The span that the asset-data budget counts in, in milliseconds; a minute unless told. */
  readonly windowMs: number | undefined;
  /** When an upstream that fails is left alone, where it is not as usual. */
  readonly breaker: Partial<BreakerOptions> | undefined;
  readonly onFailure: (error: unknown) => void;
}

/** An upstream that holds connections. */
type Connection = Upstream & { close(): Promise<void> };

const TOKENS_IN_FLIGHT = 64;
const PAID_IN_FLIGHT = 32;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** An upstream that was stalled may read a call so much of a window after it was given up: 5 s of a minute. */
const LATE_SHARE = 1 / 12;
const BREAKER: BreakerOptions = { failures: 5, probeMs: 5_000, now: () => performance.now() };
const MIN_SECRET_LENGTH = 16;

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 16);

/** The lane of a route: its provider's cluster and surface. */
export const laneKeyOf = ({ provider, cluster, surface }: LaneName): string =>
  [provider, cluster ?? 'any', surface].join(':');

/** What of a URL is a secret: values of its query, and long parts of its path. */
export function secretsIn(url: string): string[] {
  const { searchParams, pathname } = new URL(url);
  return [...searchParams.values(), ...pathname.split('/')].filter((part) => part.length >= MIN_SECRET_LENGTH);
}

type Connect = (options: UpstreamOptions) => Connection;

/** Builds the lanes of everything that is configured. */
export class Lanes {
  readonly #parts: LaneParts;
  readonly #lanes = new Map<string, Lane>();
  readonly #connections: Connection[] = [];

  constructor(parts: LaneParts) {
    this.#parts = parts;
    const { tokens, paid } = parts.config;
    if (tokens) this.#addTokens(tokens);
    if (paid) this.#addPaid(paid);
  }

  get(route: Route): Lane | undefined {
    return this.#lanes.get(laneKeyOf(route));
  }

  all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #addTokens({ key, baseUrl, limitPerMinute }: TokensConfig): void {
    const { config, windowMs = MINUTE_MS } = this.#parts;
    const inFlightMs = config.upstreamTimeoutMs;
    const budget = {
      key: `tokens:${hashOf(key)}`,
      limit: limitPerMinute,
      windowMs,
      inFlightMs,
      lateMs: windowMs * LATE_SHARE,
    };
    const connection = new RestUpstream({
      baseUrl,
      headers: { 'x-api-key': key },
      deadlineMs: inFlightMs,
      connections: TOKENS_IN_FLIGHT,
      secrets: spellingsOf(key),
    });
    const name: LaneName = { provider: 'tokens', surface: 'tokens' };
    this.#open({ name, budget, inFlight: { key: 'tokens', limit: TOKENS_IN_FLIGHT } }, connection);
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
    const name: LaneName = { provider: 'helius', cluster: 'mainnet', surface: 'wallet' };
    this.#addLane(name, limitsPerSecond.wallet, options, (all) => new RestUpstream(all));
  }

  #addLane(name: LaneName, limit: number, options: LaneOptions, connect: Connect): void {
    if (limit === 0) return;
    const key = `${laneKeyOf(name)}:${hashOf(JSON.stringify([options.baseUrl, options.headers]))}`;
    const budget = { key, limit, windowMs: SECOND_MS, inFlightMs: 0, fromDispatch: true };
    const inFlight = { key: name.provider, limit: PAID_IN_FLIGHT };
    this.#open({ name, budget, inFlight }, connect({ ...options, connections: PAID_IN_FLIGHT }));
  }

  /** Puts the wrappers around a connection: the outer ones refuse before an inner one spends. */
  #open(lane: Omit<Lane, 'upstream'>, connection: Connection): void {
    const { store, breaker, onFailure } = this.#parts;
    const pause = (seconds: number) => store.pause(lane.budget, seconds * SECOND_MS).catch(onFailure);
    const upstream = new Breaker(pausing(resending(connection), pause), { ...BREAKER, ...breaker });
    this.#connections.push(connection);
    this.#lanes.set(laneKeyOf(lane.name), { ...lane, upstream });
  }
}

type LaneOptions = Omit<UpstreamOptions, 'connections'>;
