import type { GroupKind, Store } from '../budget/store.ts';
import type { OpenShared } from '../cache/shared-entries.ts';
import type { Config } from '../config/config.ts';
import type { Crypto } from '../gates/crypto.ts';
import type { OriginOf } from '../gates/gate.ts';
import type { ChannelName } from '../metrics/readings.ts';
import type { ReceiptIssuer } from '../receipts/response.ts';
import type { WatchPace } from '../sales/covered-watch.ts';
import type { LogLine } from '../stages/trail.ts';
import type { Tracing } from '../traces/tracing.ts';
import type { BreakerOptions } from '../upstreams/breaker.ts';
import type { KeyOptions } from '../upstreams/several-keys.ts';
import type { OwnRoute } from '../upstreams/upstream.ts';
import type { Money } from './money.ts';

/** How long a refused key is set aside. */
export type RefusedKeys = Partial<Pick<KeyOptions, 'setAsideMs' | 'now'>>;

/** What the gateway reports while it runs. */
export interface Observers {
  readonly notice?: (message: string) => void;
  readonly onFailure?: (error: unknown) => void;
  /** Called when an upstream refuses a key. `place`: its position in the configured list, counted from 1. */
  readonly onKeyRefused?: (channel: ChannelName, place: number) => void;
  /** Called after each step of a purchase or a debit. */
  readonly onStep?: (step: string) => void;
  /** Called with the outcome of each settlement. */
  readonly onSettlement?: (outcome: string) => void;
  /** Called for each slot of a shared budget, with the kind of group that it is charged to. */
  readonly onSlot?: (kind: GroupKind) => void;
}

/** What a gateway is composed from, besides its configuration. */
export interface Dependencies extends Observers {
  readonly store: Store;
  /** Undefined if there is no database of money. */
  readonly money?: Money | undefined;
  /** Opens the part of the cache that nodes share; undefined if there is one node. */
  readonly openShared?: OpenShared | undefined;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly log: (line: LogLine) => void;
  /** The window of the asset-data budget in milliseconds; default: a minute. */
  readonly windowMs?: number | undefined;
  readonly breaker?: Partial<BreakerOptions> | undefined;
  readonly refusedKeys?: RefusedKeys;
  readonly watchPace?: Partial<WatchPace>;
  /** Public routes besides the route table. No description lists them. */
  readonly ownRoutes?: readonly OwnRoute[];
  /** Whether this node is shutting down, and so not ready. */
  readonly isStopping?: () => boolean;
  /** Default: nothing is traced. */
  readonly tracing?: Tracing;
}

/** What all parts of one gateway share. */
export interface Foundation extends Dependencies {
  readonly config: Config;
  readonly crypto: Crypto;
  readonly originOf: OriginOf;
  /** Undefined if receipts are not signed. */
  readonly receipts: ReceiptIssuer | undefined;
  readonly randomId: () => string;
  readonly notice: (message: string) => void;
  readonly onFailure: (error: unknown) => void;
  readonly isStopping: () => boolean;
  readonly tracing: Tracing;
}
