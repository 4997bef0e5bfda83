import type { Route } from '@asset-gateway/protocol';

/** What tells upstreams apart, and which routes each is for; one that knows no clusters has none. */
export type ChannelName = Pick<Route, 'provider' | 'cluster' | 'surface'>;

/** One upstream, as it stands now. */
export interface ChannelReading extends ChannelName {
  /** Slots of its budget. */
  readonly left: number;
  readonly limit: number;
  /** For how long this node does not ask it, as it has asked for a pause; 0 without one. */
  readonly pauseMs: number;
  /** Whether it is left alone because it keeps failing. */
  readonly isLeftAlone: boolean;
  /** Of each of its keys, in the order of the configuration: whether it is set aside because the upstream refuses it. */
  readonly keysSetAside: readonly boolean[];
}

/** What the fee payer of a cluster holds; nothing when the chain did not say. */
export interface FeePayerReading {
  readonly cluster: string;
  readonly lamports: number | undefined;
}

/** Whether a cluster's routes are sold; they are not while the fee payer cannot pay. */
export interface SalesReading {
  readonly cluster: string;
  readonly isOpen: boolean;
}

/** What a cache has done since the start, and what it holds now. */
export interface CacheReading {
  readonly bytes: number;
  /** Calls that answered somebody who waited, and calls that nobody waited for. */
  readonly calls: { readonly awaited: number; readonly refresh: number };
  /** Requests that were refused because no call went out for them in time. */
  readonly forgone: number;
}

/** Payments whose outcome is not known. */
export interface OpenReading {
  readonly count: number;
  /** For how long it has not been known of the oldest one, in milliseconds; 0 where there is none. */
  readonly oldestMs: number;
}

/** What wallets of a cluster have paid ahead and not spent yet. */
export interface CreditReading {
  readonly cluster: string;
  /** Millionths of a dollar. */
  readonly owedMicros: number;
}

/** How much is on the list of who is not served. */
export interface BlockedReading {
  readonly wallets: number;
  /** Addresses, and ranges of them. */
  readonly ranges: number;
}

/** What is looked up, where a log line does not say it. None of these rejects. */
export interface Readings {
  isReady(): boolean;
  channels(): readonly ChannelReading[];
  /** Nothing where no answers are kept. */
  cache?(): CacheReading | undefined;
  /** Payments whose outcome is not known; nothing when the store did not say. */
  openPayments(): Promise<OpenReading | undefined>;
  /** What is owed as credit, by all nodes together; nothing when the store did not say. */
  credit?(): Promise<readonly CreditReading[] | undefined>;
  /** Whether the database of money answered last; undefined if there is none. */
  isDatabaseUp?(): boolean | undefined;
  feePayers(): Promise<readonly FeePayerReading[]>;
  /** Dollars for one SOL, where the operator has said so. */
  readonly solPriceUsd?: number | undefined;
  sales(): readonly SalesReading[];
  /** Nothing where everybody is served. */
  blocked?(): BlockedReading | undefined;
}
