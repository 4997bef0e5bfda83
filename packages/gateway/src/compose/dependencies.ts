import type { RefusalCode } from '@asset-gateway/protocol';
import { Background } from '../background.ts';
import type { GroupKind } from '../budget/store.ts';
import type { Config } from '../config/config.ts';
import { type Crypto, keysFor, nodeCrypto, random } from '../crypto.ts';
import { localOrigins, type OriginOf } from '../origin.ts';
import { ReceiptIssuer } from '../receipts/response.ts';
import type { LogLine } from '../stages/trail.ts';
import { type Tracing, untraced } from '../traces/tracing.ts';
import type { BreakerOptions } from '../upstreams/breaker.ts';
import type { KeyOptions } from '../upstreams/several-keys.ts';
import type { OwnRoute } from '../upstreams/upstream.ts';
import type { State } from './state.ts';

/** Functions that a running gateway calls at its events. */
export interface Observers {
  readonly notice?: (message: string) => void;
  readonly onFailure?: (error: unknown) => void;
  /** Called after each step of a purchase or a debit. */
  readonly onStep?: (step: string) => void;
  /** Called with the outcome of each settlement. */
  readonly onSettlement?: (outcome: string) => void;
  /** Called for each slot of a shared budget, with the kind of group that it is charged to. */
  readonly onSlot?: (kind: GroupKind) => void;
}

/** The dependencies of a gateway besides its configuration. */
export interface Dependencies
  extends Observers,
    Pick<State, 'store' | 'secrets'>,
    Partial<Pick<State, 'money' | 'openShared'>> {
  readonly log: (line: LogLine) => void;
  /** The window of the asset-data budget in milliseconds; default: a minute. */
  readonly windowMs?: number | undefined;
  readonly breaker?: Partial<BreakerOptions> | undefined;
  /** How long a rejected key is set aside, and by which clock. */
  readonly refusedKeys?: Partial<Pick<KeyOptions, 'setAsideMs' | 'now'>>;
  /** How often covered payments are searched for, in milliseconds. */
  readonly watchEveryMs?: number;
  /** Public routes besides the route table. No description lists them. */
  readonly ownRoutes?: readonly OwnRoute[];
  /** Whether payments are play money, so that no price can lose money; default: false. */
  readonly isPlayMoney?: boolean;
  /** Whether this node is shutting down, and so not ready. */
  readonly isStopping?: () => boolean;
  /** Traces requests; default: nothing is traced. */
  readonly tracing?: Tracing;
  /** Runs background work and reports its failures. */
  readonly background?: Background;
}

/** The objects that all parts of one gateway share: the dependencies with their defaults, and those made from them once. */
export interface Foundation extends Dependencies {
  readonly config: Config;
  readonly notice: (message: string) => void;
  readonly onFailure: (error: unknown) => void;
  readonly tracing: Tracing;
  readonly background: Background;
  readonly crypto: Crypto;
  readonly originOf: OriginOf;
  /** The signer of receipts; undefined if receipts are not signed. */
  readonly receipts: ReceiptIssuer | undefined;
  /** Returns why this node cannot serve requests now; undefined while it is ready. */
  readonly notReadyCode: () => RefusalCode | undefined;
  readonly randomId: () => string;
}

const SEED_BYTES = 32;

/** Signs receipts; undefined if they are off. Nodes with the same secrets or key pairs sign with the same key. */
function openReceipts({ receipts }: Config, { secrets, store, money }: Dependencies) {
  if (!receipts) return undefined;
  const given = receipts.keypairs.map((keypair) => keypair.subarray(0, SEED_BYTES));
  const seeds = given.length > 0 ? given : keysFor('asset-gateway receipts', nodeCrypto, secrets);
  const wallAt = (booksMs?: number) =>
    booksMs === undefined ? store.wallNow() : (money?.database.wallAt(booksMs) ?? booksMs);
  return new ReceiptIssuer(seeds, wallAt);
}

/** Adds what all parts of one gateway share. */
export function layFoundation(config: Config, dependencies: Dependencies): Foundation {
  const { store, isStopping } = dependencies;
  const { baseUrl, host } = config;
  // If an origin is configured, the Host header is ignored.
  const originOf: OriginOf = baseUrl === undefined ? localOrigins(host) : () => baseUrl;
  return {
    notice: () => undefined,
    onFailure: () => undefined,
    tracing: untraced,
    background: new Background(),
    ...dependencies,
    config,
    crypto: nodeCrypto,
    originOf,
    receipts: openReceipts(config, dependencies),
    notReadyCode: () => (isStopping?.() ? 'shutting_down' : store.ready() ? undefined : 'state_unavailable'),
    randomId: () => random(16).toString('hex'),
  };
}
