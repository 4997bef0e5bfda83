import type { Cluster, UpstreamProvider } from '@asset-gateway/protocol';
import type { Payer } from './payer.ts';
import type { Signer } from './signer.ts';

/** What may be chosen for some calls and not for others. */
export interface CallSettings {
  /** The cluster that paid routes ask and are paid on; mainnet unless told. */
  readonly cluster?: Cluster;
  /** Who is asked; Helius unless told, as it serves everything that is sold. */
  readonly provider?: UpstreamProvider;
  /** Gives a call up. */
  readonly signal?: AbortSignal;
  /** How long a call may take, with all that is sent again for it; 30,000 unless told. */
  readonly timeoutMs?: number | undefined;
  /** Dollars that one call may cost at most. */
  readonly maxUsd?: number;
  /** How often a request is sent again that the gateway asks to send again; 3 unless told. */
  readonly retries?: number;
  /**
   * Credit pays for a call wherever the wallet has any. `true` also buys a bundle of it when it does not cover a call; `false`
   * leaves it alone.
   */
  readonly credit?: boolean;
}

/** What a client of what is free is made of. */
export interface FreeClientOptions extends CallSettings {
  /** The gateway's public origin. */
  readonly baseUrl: string | URL;
  /** Who signs; a key that is thrown away unless told. */
  readonly signer?: Signer | Promise<Signer>;
  /** Another fetch, for tests and special transports. */
  readonly fetch?: typeof fetch;
  /** How long a call waits for a nonce that another one brings before it asks for a challenge of its own; 500 unless told. */
  readonly nonceTimeoutMs?: number;
}

/** What a client is made of. */
export interface ClientOptions extends FreeClientOptions {
  /** Makes payments; without it paid routes are answered from credit alone. */
  readonly pay?: Payer;
  /** Called if a payment was answered and its payer could not record that. A payer of `payWith` also refuses its next payment once. */
  readonly onLedgerFailure?: (error: unknown) => void;
  /** Fetches the body of the gateway's catalog, for a cache of your own. */
  readonly catalog?: (signal: AbortSignal) => Promise<unknown>;
}
