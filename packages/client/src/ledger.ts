import { GatewayError } from './error.ts';
import { isSameRequest, type SentRequest } from './sent-request.ts';

/** Spending limits in dollars. */
export interface Caps {
  /** One call; default 0.01. */
  readonly perCallUsd?: number | undefined;
  /** One bundle of credit; default 0.05. */
  readonly perBundleUsd?: number | undefined;
  /** Any 24 hours; default 1. */
  readonly perDayUsd?: number | undefined;
  /** Everything that this ledger has counted; default: no limit. */
  readonly inAllUsd?: number | undefined;
}

/** How to find a payment on its chain, and how long it can settle. It holds no secret. */
export interface PaymentTrace {
  /** CAIP-2. */
  readonly network: string;
  /** The token account that pays. */
  readonly account: string;
  /** The transaction's memo; empty if it has none. */
  readonly memo: string;
  /** The slot of the transaction's blockhash. */
  readonly slot: number;
  /** The last block that can hold the transaction. */
  readonly lastValidBlockHeight: number;
}

/** A payment that is signed and not yet sent. */
export interface LedgerEntry {
  readonly micros: number;
  /** The request that it buys. */
  readonly request: SentRequest;
  /** The headers that carry the payment. Keep them secret until it has settled: they can be sent again. */
  readonly headers: Readonly<Record<string, string>>;
  readonly trace: PaymentTrace;
}

/** A payment that may still settle (`signed`) or was refused. */
export interface EarlierPayment extends Pick<LedgerEntry, 'micros' | 'headers'> {
  readonly id: string;
  /** When it was signed, in milliseconds since 1970. */
  readonly at: number;
  readonly state: 'signed' | 'refused';
  /** As it was recorded. Without it, a refused payment counts as spent for good. */
  readonly trace?: PaymentTrace | undefined;
}

/** The record of spending. A ledger that several processes share must hold amounts atomically. */
export interface SpendingLedger {
  /** Reserves an amount and returns its id. Throws `spending_limit` if that would exceed a cap. */
  hold(micros: number, caps: { readonly perDayMicros: number; readonly inAllMicros: number }): Promise<string>;
  /** Records a signed payment before it is sent. After this returns, a crash loses nothing. */
  signed(id: string, entry: LedgerEntry): Promise<void>;
  /** Frees an amount for which nothing was signed, or whose payment never settled and never will. */
  release(id: string): Promise<void>;
  /** Records the outcome. A refused payment counts as spent until it is released: the gateway may still settle it. */
  closed(id: string, outcome: 'paid' | 'refused'): Promise<void>;
  /** The payments, for this request if one is given, that may still settle or were refused, newest first. */
  earlier(request?: SentRequest): Promise<readonly EarlierPayment[]>;
}

const DAY_MS = 86_400_000;

const exceeded = (micros: number, when: string): GatewayError =>
  new GatewayError('spending_limit', { message: `the cap of $${micros / 1e6} ${when} would be exceeded` });

interface Spent extends Omit<EarlierPayment, 'state'> {
  readonly state: 'held' | 'signed' | 'paid' | 'refused';
  readonly request?: SentRequest;
}

/** A ledger in memory. */
export function memoryLedger(now: () => number = Date.now): SpendingLedger {
  const spent = new Map<string, Spent>();
  /** Spending older than a day, in millionths of a dollar. */
  let older = 0;
  let last = 0;

  /** Spending of the last 24 hours in millionths of a dollar. Entries dated in the future count: the clock was set back. */
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
