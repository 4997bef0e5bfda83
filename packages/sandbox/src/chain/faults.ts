import type { Faults } from '../upstream.ts';

/** An error that a method must answer. */
interface RefusedCall {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** False answers of the node. */
export interface WrongAnswers {
  /** Every simulation succeeds. */
  readonly simulateOk?: boolean | undefined;
  /** Unknown signatures are confirmed. */
  readonly statusConfirmed?: boolean | undefined;
  /** Landed signatures are unknown. */
  readonly statusMissing?: boolean | undefined;
  /** Landed signatures are only processed. */
  readonly statusProcessed?: boolean | undefined;
  /** How many slots the node that answers about landed transactions is behind the others. */
  readonly slotsBehind?: number | undefined;
}

/** Faults of the node and its network. Undefined knobs are off. */
export interface ChainFaultKnobs {
  /** Land the transaction and close the connection without an answer. */
  dropAfterBroadcast?: boolean | undefined;
  /** Answer with the signature but never land the transaction. */
  loseBroadcast?: boolean | undefined;
  /** Delay the status of landed transactions, in milliseconds. */
  confirmAfterMs?: number | undefined;
  /** Methods that answer an error. */
  refuse?: Readonly<Record<string, RefusedCall>> | undefined;
  /** Methods that never answer. */
  hang?: ReadonlySet<string> | undefined;
  /** The HTTP status of every answer, with an empty body. */
  status?: number | undefined;
  /** Delay every answer, in milliseconds. */
  delayMs?: number | undefined;
  /** The methods that `status` and `delayMs` affect; default: all. */
  only?: ReadonlySet<string> | undefined;
  lie?: WrongAnswers | undefined;
}

/** The knobs of a running chain. Set them at any time. */
export type ChainFaults = Faults<ChainFaultKnobs> & {
  /** Advances blocks until every issued blockhash is expired. */
  expireBlockhashes(): void;
};
