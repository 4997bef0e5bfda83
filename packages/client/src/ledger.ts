import { DAY_MS, dollarText } from '@asset-gateway/protocol/wire';
import { GatewayError } from './error.ts';
import { isSameRequest, type SentRequest } from './sent-request.ts';

/** Spending limits in dollars. A cap that is not a finite number of at least 0 is refused with `spending_limit`. */
export interface Caps {
  /** For one call; default: 0.01. */
  readonly perCallUsd?: number | undefined;
  /** For one bundle of credit; default: 0.05. */
  readonly perBundleUsd?: number | undefined;
  /** For any 24 hours; default: 1. */
  readonly perDayUsd?: number | undefined;
  /** For all that the ledger has counted; default: no limit. */
  readonly inAllUsd?: number | undefined;
}

/** How to find a payment on its chain, and until when it can settle. It holds no secret. */
export interface PaymentTrace {
  /** The network (CAIP-2). */
  readonly network: string;
  /** The token account that pays, in base58. */
  readonly account: string;
  /** The transaction's memo; empty if it has none. */
  readonly memo: string;
  /** The slot of the transaction's blockhash. */
  readonly slot: number;
  /** The last block that can hold the transaction. */
  readonly lastValidBlockHeight: number;
}

/** A signed payment that was not sent yet. */
export interface LedgerEntry {
  /** Its amount in millionths of a dollar. */
  readonly micros: number;
  /** The request that it buys. */
  readonly request: SentRequest;
  /** The headers that carry the payment. Keep them secret until it has settled, because anyone can send them again. */
  readonly headers: Readonly<Record<string, string>>;
  /** How to find the payment on its chain. */
  readonly trace: PaymentTrace;
}

/** A payment that may still settle (`signed`) or was refused. */
export interface EarlierPayment extends Pick<LedgerEntry, 'micros' | 'headers'> {
  /** The id that `hold` returned. */
  readonly id: string;
  /** When the payment was signed, in milliseconds since 1970. */
  readonly at: number;
  /** `refused` if a second 402 refused it, otherwise `signed`. */
  readonly state: 'signed' | 'refused';
  /** The trace as recorded. Without it, a refused payment counts as spent for good. */
  readonly trace?: PaymentTrace | undefined;
}

/** The record of spending. If several processes share a ledger, it must hold amounts atomically. */
export interface SpendingLedger {
  /**
   * Reserves an amount, or throws `spending_limit` if that would exceed a cap.
   * @param micros the amount in millionths of a dollar
   * @param caps the limits for 24 hours and in all, in millionths of a dollar
   * @returns an id of your choice for this amount
   */
  hold(micros: number, caps: { readonly perDayMicros: number; readonly inAllMicros: number }): Promise<string>;
  /**
   * Records a signed payment before it is sent. When the promise resolves, the record survives a crash.
   * @param id the id of the reserved amount
   * @param entry the payment
   */
  signed(id: string, entry: LedgerEntry): Promise<void>;
  /**
   * Frees an amount. No payment was signed for it, or its payment never settled and never will.
   * @param id the id of the amount
   */
  release(id: string): Promise<void>;
  /**
   * Records the outcome of a payment. A refused payment counts as spent until it is released, because the gateway may still settle it.
   * @param id the id of the amount
   * @param outcome whether the gateway settled the payment or refused it
   */
  closed(id: string, outcome: 'paid' | 'refused'): Promise<void>;
  /**
   * Returns the payments that may still settle or were refused, newest first.
   * @param request only payments for this request; default: all
   */
  earlier(request?: SentRequest): Promise<readonly EarlierPayment[]>;
}

const exceeded = (micros: number, when: string): GatewayError =>
  new GatewayError('spending_limit', { message: `the cap of ${dollarText(micros)} ${when} would be exceeded` });

interface Spent extends Omit<EarlierPayment, 'state'> {
  readonly state: 'held' | 'signed' | 'paid' | 'refused';
  readonly request?: SentRequest;
}

/**
 * Makes a ledger in memory, which ends with the process.
 * @param now the time in milliseconds since 1970, for tests
 */
export function memoryLedger(now: () => number = Date.now): SpendingLedger {
  const spent = new Map<string, Spent>();
  /** The spending of more than a day ago, in millionths of a dollar. */
  let older = 0;
  let last = 0;

  /**
   * Returns the spending of the last 24 hours, in millionths of a dollar. Entries dated in the future count, because the clock was set
   * back.
   */
  function ofDay(): number {
    let day = 0;
    for (const [id, { micros, at }] of spent) {
      if (now() - at < DAY_MS) day += micros;
      else {
        older += micros;
        spent.delete(id);
      }
    }
    return day;
  }

  function change(id: string, changed: Partial<Spent>): void {
    const entry = spent.get(id);
    if (entry) spent.set(id, { ...entry, ...changed });
  }

  return {
    async hold(micros, { perDayMicros, inAllMicros }) {
      const day = ofDay();
      if (!(day + micros <= perDayMicros)) throw exceeded(perDayMicros, 'in 24 hours');
      if (!(older + day + micros <= inAllMicros)) throw exceeded(inAllMicros, 'in all');
      const id = String(++last);
      spent.set(id, { id, micros, at: now(), state: 'held', headers: {} });
      return id;
    },
    signed: async (id, { micros: _, ...entry }) => change(id, { state: 'signed', at: now(), ...entry }),
    release: async (id) => void spent.delete(id),
    closed: async (id, state) => change(id, { state, headers: {} }),
    async earlier(request) {
      const found = [...spent.values()].filter((each) => !request || isSameRequest(each.request, request)).reverse();
      return found.flatMap(({ state, ...each }) =>
        state === 'signed' || state === 'refused' ? [{ ...each, state }] : [],
      );
    },
  };
}
