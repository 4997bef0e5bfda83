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

/** A payment that is signed and not yet sent. */
export interface LedgerEntry {
  readonly micros: number;
  /** The request that it buys. */
  readonly request: SentRequest;
  /** The headers that carry the payment. Keep them secret until it has settled: they can be sent again. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A payment that may still settle (`signed`) or was refused. */
export interface EarlierPayment extends Pick<LedgerEntry, 'micros' | 'headers'> {
  readonly id: string;
  /** When it was signed, in milliseconds since 1970. */
  readonly at: number;
  readonly state: 'signed' | 'refused';
}

/** The record of spending. A ledger that several processes share must hold amounts atomically. */
export interface SpendingLedger {
  /** Reserves an amount and returns its id. Throws `spending_limit` if that would exceed a cap. */
  hold(micros: number, caps: { readonly perDayMicros: number; readonly inAllMicros: number }): Promise<string>;
  /** Records a signed payment before it is sent. After this returns, a crash loses nothing. */
  signed(id: string, entry: LedgerEntry): Promise<void>;
  /** Frees an amount for which nothing was signed. */
  release(id: string): Promise<void>;
  /** Records the outcome. A refused payment counts as spent: the gateway may still settle it. */
  closed(id: string, outcome: 'paid' | 'refused'): Promise<void>;
  /** The payments for this request that may still settle or were refused, newest first. */
  earlier(request: SentRequest): Promise<readonly EarlierPayment[]>;
}

const DAY_MS = 86_400_000;

const limit = (message: string): GatewayError => new GatewayError('spending_limit', { message });

interface Spent extends Omit<EarlierPayment, 'state'> {
  readonly state: 'held' | 'signed' | 'paid' | 'refused';
  readonly request?: SentRequest;
}

class MemoryLedger implements SpendingLedger {
  readonly #now: () => number;
  readonly #spent = new Map<string, Spent>();
  /** Spending older than a day, in millionths of a dollar. */
  #earlier = 0;
  #last = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly hold: SpendingLedger['hold'] = async (micros, { perDayMicros, inAllMicros }) => {
    const day = this.#day();
    const all = this.#earlier + day;
    if (!(day + micros <= perDayMicros)) throw limit(`the cap of $${perDayMicros / 1e6} in 24 hours would be exceeded`);
    if (!(all + micros <= inAllMicros)) throw limit(`the cap of $${inAllMicros / 1e6} in all would be exceeded`);
    const id = String(++this.#last);
    this.#spent.set(id, { id, micros, at: this.#now(), state: 'held', headers: {} });
    return id;
  };

  readonly signed: SpendingLedger['signed'] = async (id, { request, headers }) => {
    this.#change(id, { state: 'signed', at: this.#now(), request, headers });
  };

  readonly release: SpendingLedger['release'] = async (id) => {
    this.#spent.delete(id);
  };

  readonly closed: SpendingLedger['closed'] = async (id, state) => {
    this.#change(id, { state, headers: {} });
  };

  readonly earlier: SpendingLedger['earlier'] = async (request) => {
    const found = [...this.#spent.values()].filter((each) => isSameRequest(each.request, request)).reverse();
    return found.flatMap(({ state, ...each }) =>
      state === 'signed' || state === 'refused' ? [{ ...each, state }] : [],
    );
  };

  /** Spending of the last 24 hours in millionths of a dollar. Entries dated in the future count: the clock was set back. */
  #day(): number {
    let day = 0;
    for (const [id, { micros, at }] of this.#spent) {
      if (this.#now() - at < DAY_MS) day += micros;
      else {
        this.#earlier += micros;
        this.#spent.delete(id);
      }
    }
    return day;
  }

  #change(id: string, changed: Partial<Spent>): void {
    const entry = this.#spent.get(id);
    if (entry) this.#spent.set(id, { ...entry, ...changed });
  }
}

/** A ledger in memory. */
export const memoryLedger = (now: () => number = Date.now): SpendingLedger => new MemoryLedger(now);
