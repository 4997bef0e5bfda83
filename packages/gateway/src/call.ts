import type { HttpMethod, Match, PaymentState, RefusalCode, RequestValues, Route } from '@asset-gateway/protocol';
import type { NonceUse } from './stores/ports.ts';

/** A request as it arrived: complete, within the server's size limits, and not interpreted yet. */
export interface Inbound {
  readonly method: string;
  /** The raw request target. Anything that has been through a URL parser is normalised and no longer what was sent. */
  readonly target: string;
  /** By lower-case name; repeated ones joined as Node joins them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Every Host line. */
  readonly hosts: readonly string[];
  /** The port that the request arrived at. */
  readonly port: number;
  readonly body: Uint8Array;
  /** The client's address, for the log. */
  readonly client: string;
  /** What the server found wrong before any route was looked at. */
  readonly fault?: RefusalCode;
}

/** An answer, complete. */
export interface Outbound {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Called when the whole answer has been handed to the client's connection. */
  readonly onDelivered?: () => void;
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

/** Values that passed their row's schemas and rules; only the reader in stages/validate.ts makes one. */
export type Input = RequestValues & { readonly [validated]: true };

/** What one request leaves behind, and what every answer to it owes. */
export interface Trail {
  readonly requestId: string;
  wallet?: string;
  /** Why the request was refused: the public code and, for the log, which check or fault it was. */
  refused?: { readonly code: RefusalCode; readonly reason: string | undefined };
  upstreamMs?: number;
  budgetLeft?: number;
  /** Adds the headers that an admission owes to every answer, refusals too. */
  stamp?: (headers: Record<string, string>) => void;
  /** What has become of the payment, for refusals that do not say it themselves. */
  payment?: PaymentState;
  /** Told when the client has its answer, and of no refusal. */
  delivered?: () => void;
  /** Adds a fresh challenge to a 402. */
  challenge?: (code: RefusalCode) => Challenge;
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

/** Leave to write one upstream request. Called immediately before it is written; refuses by throwing. */
export type Spend = () => Promise<Slot>;

/** An upstream's answer: its JSON text, unchanged; or a document of the gateway's own, whose row may name another type. */
export interface Answer {
  readonly json: string;
  /** Of a document: what caches need to know. */
  readonly headers?: Readonly<Record<string, string>>;
}
