import type { Cluster, UpstreamProvider } from '@asset-gateway/protocol';
import type { Payer } from './payer.ts';
import type { Signer } from './signer.ts';

/** Settings of single calls. */
export interface CallSettings {
  /** The cluster that serves paid routes and is paid on; default: mainnet. */
  readonly cluster?: Cluster;
  /** The provider of paid routes; default: Helius, which serves all of them. */
  readonly provider?: UpstreamProvider;
  /** Aborts a call. */
  readonly signal?: AbortSignal;
  /** How long a call may take, retries included; default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** The most that a call may cost, in dollars. */
  readonly maxUsd?: number;
  /** How often a request is retried if the gateway asks for it; default: 3. */
  readonly retries?: number;
  /**
   * By default credit pays for a call if the wallet has any. `true` also buys a bundle when the credit does not cover a call;
   * `false` never uses credit.
   */
  readonly credit?: boolean;
}

/** Options of `createFreeClient`. */
export interface FreeClientOptions extends CallSettings {
  /** The gateway's public origin. */
  readonly baseUrl: string | URL;
  /** The wallet that signs; default: a temporary key. */
  readonly signer?: Signer | Promise<Signer>;
  /** Replaces `fetch`, for tests and special transports. */
  readonly fetch?: typeof fetch;
  /** How long a call waits for the nonce of another call before it fetches a challenge; default: 500. */
  readonly nonceTimeoutMs?: number;
}

/** Options of `createClient`. */
export interface ClientOptions extends FreeClientOptions {
  /** Makes payments. Without it, only credit pays for calls. */
  readonly pay?: Payer;
  /** Called if the payer could not record the outcome of a payment. A payer of `payWith` also refuses its next payment. */
  readonly onLedgerFailure?: (error: unknown) => void;
  /** Fetches the gateway's catalog, for a cache of your own. */
  readonly catalog?: (signal: AbortSignal) => Promise<unknown>;
}
