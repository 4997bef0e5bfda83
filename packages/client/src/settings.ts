import type { Cluster, PaymentRequired, UpstreamProvider } from '@asset-gateway/protocol/wire';
import type { ListedRoute } from './catalog.ts';
import type { SentRequest } from './sent-request.ts';
import type { Signer } from './signer.ts';

/** The purpose and the limits of a payment. */
export interface PaymentWish {
  /** The request that the payment buys. A ledger records it, so that the payment can be sent again after a crash. */
  readonly request: SentRequest;
  /**
   * What the payment buys: the call, a bundle of credit that also pays for the call, the first amount of a route that
   * sells credit, or this amount of credit.
   */
  readonly buys: 'call' | 'bundle' | 'credit' | { readonly micros: number };
  /** The network to pay on (CAIP-2). */
  readonly network: string;
  /** A cap for this call in dollars, besides the payer's own caps. */
  readonly maxUsd: number | undefined;
  /** Aborts when the call times out or its caller aborts it. */
  readonly signal: AbortSignal;
  /**
   * Returns the catalog of the request's provider, at most ten minutes old, or fresh if `isAnew`. Throws `not_a_gateway` if there is none.
   */
  readonly catalog: (isAnew?: boolean) => Promise<readonly ListedRoute[]>;
}

/** A signed payment. */
export interface SignedPayment {
  /** The amount in millionths of a dollar. */
  readonly micros: number;
  /** The headers that buy the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Called once when the outcome is known.
   * @param outcome whether the gateway settled the payment or refused it
   */
  closed?(outcome: 'paid' | 'refused'): Promise<void>;
  /** Called once when the call ends, even if the outcome is unknown. */
  ended?(): void;
}

/** Makes payments. `payWith` of `@asset-gateway/client/pay` returns one. */
export interface Payer {
  /**
   * Signs the payment for a 402, or throws. Called once per call, because retries resend the same payment.
   * @param required the body of the 402, unchecked
   * @param wish what the payment buys, and its limits
   */
  pay(required: PaymentRequired, wish: PaymentWish): Promise<SignedPayment>;
}

/** Settings of calls: for a client, or with `client.with` for some calls. */
export interface CallSettings {
  /** The cluster that serves paid routes, and on which you pay; default: mainnet. */
  readonly cluster?: Cluster;
  /** The provider of paid routes; default: Helius, which serves all of them. */
  readonly provider?: UpstreamProvider;
  /** Aborts a call. */
  readonly signal?: AbortSignal;
  /** How long a call may take with its retries, in milliseconds; default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** The most that a call may cost, in dollars. */
  readonly maxUsd?: number;
  /** How often to retry a request if the gateway asks for it; default: 3. */
  readonly retries?: number;
  /**
   * By default, credit pays for a call if the wallet has any. With `true`, the client also buys a bundle if the credit does not cover a
   * call. With `false`, it never uses credit.
   */
  readonly credit?: boolean;
}

/** Options of `createFreeClient`. */
export interface FreeClientOptions extends CallSettings {
  /** The gateway's public origin. */
  readonly baseUrl: string | URL;
  /** The wallet that signs; default: a temporary key. */
  readonly signer?: Signer | Promise<Signer>;
  /** Replaces `fetch` for requests to the gateway, for a proxy, tests or other transports. Reads of the Solana RPC always use `fetch`. */
  readonly fetch?: typeof fetch;
  /** How long a call waits for the nonce of another call before it fetches a challenge, in milliseconds; default: 500. */
  readonly nonceTimeoutMs?: number;
}

/** Options of `createClient`. */
export interface ClientOptions extends FreeClientOptions {
  /** Makes payments. Without it, only credit pays for calls. */
  readonly pay?: Payer;
  /** Called if the payer could not record a payment's outcome. A payer of `payWith` also refuses its next payment. */
  readonly onLedgerFailure?: (error: unknown) => void;
  /** Fetches the gateway's catalog of one provider, or the whole one, to use a cache of your own. */
  readonly catalog?: (signal: AbortSignal, provider?: string) => Promise<unknown>;
}
