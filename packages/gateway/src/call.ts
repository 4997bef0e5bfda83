import type { HttpMethod, Match, PaymentState, RefusalCode, RequestValues, Route } from '@asset-gateway/protocol';
import type { Budget, NonceUse, Share, ShareScope } from './budget/store.ts';

/** Where a request arrived. */
export interface Arrival {
  /** Every Host line. */
  readonly hosts: readonly string[];
  /** The port that the request arrived at. */
  readonly port: number;
  /** What of a document its reader would like to have. */
  readonly headers?: Partial<Record<'accept' | 'accept-encoding', Headers[string]>>;
}

/** By lower-case name; repeated ones joined as Node joins them. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request as it arrived: complete, within the server's size limits, and not interpreted yet. */
export interface Inbound extends Arrival {
  readonly method: string;
  /** The raw request target. Anything that has been through a URL parser is normalised and no longer what was sent. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** The client's address, for the log and for its share of the budget. */
  readonly client: string;
  /** What the server found wrong before any route was looked at. */
  readonly fault?: RefusalCode;
}

/** An answer, complete. */
export interface Outbound {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** What was paid for it, for the log. */
  readonly sale?: Sale;
  /** What was charged to credit for it, for the log. */
  readonly debit?: CreditDebit;
  /** What the payment has brought to credit, in millionths of a dollar. */
  readonly grantedMicros?: number;
  /** Called when the whole answer has been handed to the client's connection. */
  readonly onDelivered?: () => void;
}

/** What a settled admission adds to the answer. */
export interface Receipt {
  readonly headers: Readonly<Record<string, string>>;
  /** What was paid, in dollars, for the envelope of paid routes. */
  readonly priceUsd?: string;
  /** The same for the log, with the transaction. */
  readonly sale?: Sale;
  /** What was charged to the wallet's credit instead. */
  readonly debit?: CreditDebit;
  /** What the payment has brought to credit, in millionths of a dollar. */
  readonly grantedMicros?: number;
  /** Called when the client has the answer. */
  readonly onDelivered?: () => void;
}

/** The settled payment that an answer was bought with. */
export interface Sale {
  /** Atomic units of the asset: millionths of a dollar. */
  readonly micros: number;
  /** The mint of what was paid with. */
  readonly asset: string;
  /** The signature that settled it. */
  readonly transaction: string;
  /** The payment came again, and its answer had reached its payer before. */
  readonly isRepeat: boolean;
}

/** What an answer has cost its wallet's credit, and what is left, in millionths of a dollar. */
export interface CreditDebit {
  readonly micros: number;
  readonly balanceMicros: number;
  /** What has spent it: a signature, or a payment that was covered and never settled. */
  readonly by: 'signature' | 'payment';
  /** The same debit has been answered before. */
  readonly isRepeat?: boolean;
}

/** A request that has found its row. */
export interface Call {
  readonly inbound: Inbound;
  readonly route: Route;
  /** `GET`, `POST` or `OPTIONS`; HEAD has become GET. */
  readonly method: HttpMethod | 'OPTIONS';
  readonly parameters: Match['parameters'];
  readonly path: string;
  /** Without the question mark; nothing when there is none. */
  readonly query: string | undefined;
}

declare const validated: unique symbol;

/** Values that passed their row's schemas and rules; only a reader of stages/validate.ts makes one. */
export type Input = RequestValues & { readonly [validated]: true };

/** What one request leaves behind. */
export interface Trail {
  readonly requestId: string;
  /** The client's address. */
  readonly client: string;
  wallet?: string;
  /** Why the request was refused: the public code and, for the log, which check or fault it was, and whose share of the budget was used up. */
  refused?: {
    readonly code: RefusalCode;
    readonly reason: string | undefined;
    readonly scope?: ShareScope | undefined;
  };
  upstreamMs?: number;
  budgetLeft?: number;
  /** What has become of the payment, for refusals that do not say it themselves. */
  payment?: PaymentState;
}

/** The parts of a challenge: headers, and members of the body. */
export interface Challenge {
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;
}

/** A slot of the upstream's budget, held by one upstream call. */
export interface Slot {
  /**
   * This node waits no longer. Over is a call that was never written, or whose answer has begun: its slot frees one window
   * from now. One that was given up may still be read by the upstream; its slot stays held for as long as it was taken.
   */
  release(isOver: boolean): void;
}

/** Takes a slot, and burns the nonce in the same atomic step when there is one. */
export type NoncedTake = (nonce?: NonceUse) => Promise<Slot>;

/** Leave to write one upstream request. */
export interface Spend {
  /**
   * Takes a slot of this budget immediately before the request is written; refuses by throwing. Where slots are shared out, it is
   * charged to whoever asks, or to those named.
   */
  (budget: Budget, charge?: Share | readonly Share[]): Promise<Slot>;
  /** The nonce of the asker's sign-in, where that is good for one answer. */
  readonly nonce?: string | undefined;
  /** The share of the asker, where slots are shared out. With `withinMs` it refuses a share that gets no slot in that time. */
  readonly share?: (withinMs?: number) => Promise<Share>;
}

/** A call whose input has been read, as an upstream is asked for its answer. */
export interface UpstreamCall {
  readonly route: Route;
  readonly input: Input;
  /** The wallet that asks; nothing on routes that are open to everybody. */
  readonly wallet: string | undefined;
  /** For documents that name their own address. Whatever else the request held goes to no upstream. */
  readonly arrival: Arrival;
  /** The request's `Cache-Control`. */
  readonly cacheControl?: string | readonly string[] | undefined;
  readonly spend: Spend;
}

/** The same, once it is settled which of the upstream's keys, and so which budget, it is made with. */
export interface KeyedCall extends Omit<UpstreamCall, 'spend'> {
  readonly spend: () => Promise<Slot>;
}

/** An upstream's answer: its JSON text, unchanged; or a document of the gateway's own, whose row may name another type. */
export interface Answer {
  readonly json: string;
  /** The whole answer with its envelope, where it is ready. */
  readonly body?: Uint8Array;
  /** Of a document, or of an answer that is kept: what caches need to know. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Told when the answer is its caller's: the admission has been settled for it. */
  readonly onSettled?: () => void;
}
