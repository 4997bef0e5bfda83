import type { Route } from '@asset-gateway/protocol';

/** Identifies an upstream; `cluster` is undefined if it has none. */
export type ChannelName = Pick<Route, 'provider' | 'cluster' | 'surface'>;

/** The current state of one upstream. */
export interface ChannelReading extends ChannelName {
  /** Slots left. */
  readonly left: number;
  readonly limit: number;
  /** Remaining pause that the upstream asked for; 0 without one. */
  readonly pauseMs: number;
  /** Whether the circuit breaker is open. */
  readonly isLeftAlone: boolean;
  /** For each key, in configured order: whether it is set aside because the upstream rejects it. */
  readonly keysSetAside: readonly boolean[];
}

/** The fee payer's balance on a cluster; undefined if the chain did not answer. */
export interface FeePayerReading {
  readonly cluster: string;
  readonly lamports: number | undefined;
}

/** A cache's counts since the start, and its memory. */
export interface CacheReading {
  readonly bytes: number;
  /** Calls with and without a waiting request. */
  readonly calls: { readonly awaited: number; readonly refresh: number };
  /** Requests refused because no call started in time. */
  readonly forgone: number;
}

/** State that metrics read besides log lines. None of these rejects. */
export interface Readings {
  isReady(): boolean;
  channels(): readonly ChannelReading[];
  /** Undefined if the cache is off. */
  cache?(): CacheReading | undefined;
  /** Payments with an unknown outcome, and the age of the oldest or 0; undefined if the store did not answer. */
  openPayments(): Promise<{ readonly count: number; readonly oldestMs: number } | undefined>;
  /** Unspent credit of all wallets in millionths of a dollar, by network; undefined if the store did not answer. */
  owedCredit?(): Promise<ReadonlyMap<string, number> | undefined>;
  /** Whether the money database answered last; undefined if there is none. */
  isDatabaseUp?(): boolean | undefined;
  feePayers(): Promise<readonly FeePayerReading[]>;
  /** Price of one SOL in dollars, if configured. */
  readonly solPriceUsd?: number | undefined;
  /** Whether each cluster's routes are sold; not while the fee payer cannot pay. */
  sales(): readonly { readonly cluster: string; readonly isOpen: boolean }[];
  /** The size of the block list, which counts addresses and ranges together; undefined without one. */
  blocked?(): { readonly wallets: number; readonly ranges: number } | undefined;
}
