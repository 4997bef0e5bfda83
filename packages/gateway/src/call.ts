import type { HttpMethod, Match, PaymentState, RefusalCode, RequestValues, Route } from '@asset-gateway/protocol';
import type { Budget, NonceUse, Share, ShareScope } from './budget/store.ts';

/** Where a request arrived. */
export interface Arrival {
  /** The values of all Host lines. */
  readonly hosts: readonly string[];
  /** The port at which the request arrived. */
  readonly port: number;
  /** Headers for content negotiation and caching. */
  readonly headers?: Partial<Record<'accept' | 'accept-encoding' | 'cache-control', Headers[string]>>;
  /** The client's address; undefined for a cache's call. */
  readonly client?: string;
}

/** Headers by lower-case name. Repeated headers are joined as Node joins them. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A complete request within the size limits, not yet interpreted. */
export interface Inbound extends Arrival {
  readonly method: string;
  /** The raw request target. No URL parser has read it, because a parser would normalise it. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** The client's address, for the log and for budget shares. */
  readonly client: string;
  /** A fault that the server found before matching. */
  readonly fault?: RefusalCode;
}

/** A complete response. */
export interface Outbound extends Omit<Receipt, 'priceUsd'> {
  readonly status: number;
  readonly body: string | Uint8Array;
}

/** What a charged request adds to the response. */
export interface Receipt {
  readonly headers: Readonly<Record<string, string>>;
  /** The price in dollars, for the envelope of paid routes. */
  readonly priceUsd?: string;
  /** The payment, for the log. */
  readonly sale?: Sale;
  /** The charge to credit in place of a payment, for the log. */
  readonly debit?: CreditDebit;
  /** The credit that the payment granted, in millionths of a dollar. */
  readonly grantedMicros?: number;
  /** Called when the whole response was handed to the operating system. The client may still not receive it. */
  readonly onDelivered?: () => void;
}

/** A settled payment. */
export interface Sale {
  /** Atomic units of the token: millionths of a dollar. */
  readonly micros: number;
  /** The mint of the payment's token. */
  readonly asset: string;
  /** The signature of the settling transaction. */
  readonly transaction: string;
  /** Whether the client sent the payment again after its answer had reached the payer. */
  readonly isRepeat: boolean;
}

/** A charge to a wallet's credit and the remaining balance, in millionths of a dollar. */
interface CreditDebit {
  readonly micros: number;
  readonly balanceMicros: number;
  /** What authorised the charge: a signature, or a payment that credit covered and that was never settled. */
  readonly by: 'signature' | 'payment';
  /** Whether the same debit was answered before. */
  readonly isRepeat?: boolean;
}

/** A matched request. */
export interface Call {
  readonly inbound: Inbound;
  readonly route: Route;
  /** The verb. HEAD counts as GET. */
  readonly method: HttpMethod | 'OPTIONS';
  readonly parameters: Match['parameters'];
  readonly path: string;
  /** The query without its question mark; undefined if there is none. */
  readonly query: string | undefined;
}

declare const validated: unique symbol;

/** Values that passed their row's schemas and rules. Only stages/validate.ts makes them. */
export type Input = RequestValues & { readonly [validated]: true };

/** The facts about one request that its response and its log line need. */
export interface RequestFacts {
  readonly requestId: string;
  /** The client's address. */
  readonly client: string;
  wallet?: string;
  /** Why the request was refused. Only `code` is public. The failed check and the scope of the used-up share are for the log. */
  refused?: {
    readonly code: RefusalCode;
    readonly reason: string | undefined;
    readonly scope?: ShareScope | undefined;
  };
  upstreamMs?: number;
  budgetLeft?: number;
  /** Returns the headers of every response after admission, including refusals. A 402 has a challenge in their place. */
  headers?: (() => Readonly<Record<string, string>>) | undefined;
  /** The payment's state, for refusals that do not name it themselves. */
  payment?: PaymentState;
}

/** A challenge: the headers, and the members of the body, of a 402. */
export interface Challenge {
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;
}

/** A slot of the upstream's budget that one upstream call holds. */
export interface Slot {
  /** How many milliseconds ago the request took its first slot. */
  readonly usedMs: number;
  /** Additional headers of the upstream request. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Releases the slot. `isDoneAtUpstream`: the call was never written, or its answer has begun. Then the slot frees one window from now.
   * Otherwise the upstream may still read the abandoned call, so the slot stays held until it expires.
   */
  release(isDoneAtUpstream: boolean): void;
}

/** The slots of one request. */
export interface Slots {
  /**
   * Takes a slot of this budget, immediately before the request is written. Throws a refusal if there is none. The first slot uses up the
   * sign-in's nonce in the same atomic step. With shares, the slot is charged to the client's share, or to one of `charge`.
   */
  take(budget: Budget, charge?: Share | readonly Share[]): Promise<Slot>;
  /** The nonce of a single-use sign-in. */
  readonly nonce?: string | undefined;
  /** Returns the client's share; absent without shares. `withinMs`: throws a refusal if the share gets no slot within this time. */
  readonly share?: ((withinMs?: number) => Promise<Share>) | undefined;
}

/** A validated call, as an upstream receives it. */
export interface UpstreamCall {
  readonly route: Route;
  readonly input: Input;
  /** The client's wallet; undefined on public routes. */
  readonly wallet: string | undefined;
  /**
   * Where the request arrived. The cache, the console's shares, and documents that contain their own URL need this. Nothing else of the
   * request reaches an upstream.
   */
  readonly arrival: Arrival;
  readonly slots: Slots;
}

/** A call for which a key, and so a budget, has been chosen. */
export interface KeyedCall extends Omit<UpstreamCall, 'slots'> {
  readonly takeSlot: () => Promise<Slot>;
}

/** An upstream's unchanged JSON text, or a document of the gateway. A document's row may name another media type. */
export interface Answer {
  readonly json: string;
  /** The whole body with its envelope, if already built. */
  readonly body?: Uint8Array;
  /** The status of an operator's API, unless it is 200. */
  readonly upstreamStatus?: number;
  /** The caching headers of documents and cached answers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the gate has charged for the answer. */
  readonly onCharged?: () => void;
}

/** What a gate does at each upstream call of a request that it has admitted. */
export interface Admission {
  /** The nonce of a single-use sign-in, which the first slot uses up. */
  readonly nonce?: NonceUse | undefined;
  /** Runs before a slot is taken. Throws a refusal to prevent the call. */
  readonly beforeSlot?: () => Promise<void>;
  /** Runs after a slot is taken and before the request is written. Must not throw. */
  readonly onSlot?: () => Promise<unknown>;
}

/** Asks the upstream to answer a validated call. */
export type Ask = (admission: Admission) => Promise<Answer>;

/** Validates a call. `isOwed`: the client has already paid for the answer. */
export type Prepare = (isOwed?: boolean) => Ask;

/** An answer, and what paid for it. */
export interface Delivery {
  readonly answer: Answer;
  readonly receipt: Receipt;
}

/**
 * Decides which requests pass. Each credential buys one answer. What stops its replay:
 * - a sign-in: `Store.admit` and `Store.useNonce` (budget/local-store.ts, budget/slot-scripts.ts) use up its nonce once. With
 *   SIWX_NONCE=until-expiry nothing does: the signature opens free routes until it expires.
 * - a payment: `reserveRefusal` (payments/machine.ts) refuses a key that has a record. A step is written only if the wallet's version is
 *   still the one that was read (`walletUnchanged`, payments/changes.ts); of two at once, one wins and the other reads again.
 *   `Deliveries.deliverKnown` (payments/deliveries.ts) answers later copies from the record.
 * - a signature that spends credit: `hold` (credit/rows.ts) inserts a debit whose id contains the nonce, once, and
 *   `ChargedAnswers.deliverKnown` (credit/debiting.ts) answers later copies from the debit.
 */
export interface Gate {
  /**
   * Admits a call, has it validated and answered, and charges for the answer. To refuse the call it throws, after releasing everything that
   * it has reserved.
   */
  serve(call: Call, facts: RequestFacts, prepare: Prepare): Promise<Delivery>;
  /** Returns the challenge of a 402 with this code; undefined if the gate cannot ask for anything now. */
  challenge(call: Call, code: RefusalCode): Challenge | undefined;
}

/** Answers the calls of a route. */
export interface Upstream {
  /** Answers a call. Takes a slot immediately before it writes each request. Throws a refusal if it has no answer. */
  answer(call: UpstreamCall): Promise<Answer>;
}

/** The upstream of a route, and its slots. */
export interface UpstreamWithSlots {
  /** Returns the slots of an admitted call. */
  readonly slots: (admission: Admission, facts: RequestFacts) => Slots;
  readonly upstream: Upstream;
}

/** A route bound to its gate, reader, budget and upstream at the start. */
export interface Endpoint extends UpstreamWithSlots {
  readonly route: Route;
  readonly gate: Gate;
  /** Validates a call's raw parameters. A refusal names every violation at once. */
  readonly read: (call: Call) => Input;
}
