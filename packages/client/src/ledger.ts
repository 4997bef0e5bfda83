import { GatewayError } from './error.ts';
import { isSameRequest, type SentRequest } from './sent-request.ts';

/** The most that payments may come to, in dollars. */
export interface Caps {
  /** One call; default 0.01. */
  readonly perCallUsd?: number | undefined;
  /** One bundle of credit, which is bought only on request; default 0.05. */
  readonly perBundleUsd?: number | undefined;
  /** Any 24 hours; default 1. */
  readonly perDayUsd?: number | undefined;
  /** Everything that this ledger has ever counted; default: no limit. */
  readonly inAllUsd?: number | undefined;
}

/** A payment that has been signed and not yet been sent. */
export interface LedgerEntry {
  readonly micros: number;
  /** The request that it buys. */
  readonly request: SentRequest;
  /** The headers to send: with them the same payment can be sent again. They are as good as money until the payment has settled. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A payment for a request that may still settle (`signed`), or that the gateway refused. */
export interface EarlierPayment extends Pick<LedgerEntry, 'micros' | 'headers'> {
  readonly id: string;
  /** When it was signed, in milliseconds since 1970. */
  readonly at: number;
  readonly state: 'signed' | 'refused';
}

/** The record of what was spent. One that several processes share holds amounts atomically for all of them. */
export interface SpendingLedger {
  /** Sets an amount aside and returns its id. Throws `spending_limit` if that would exceed a cap. */
  hold(micros: number, caps: { readonly perDayMicros: number; readonly inAllMicros: number }): Promise<string>;
  /** The payment is signed and about to be sent. Once this has returned, a crash loses nothing. */
  signed(id: string, entry: LedgerEntry): Promise<void>;
  /** Nothing was signed or sent: the amount is free again. */
  release(id: string): Promise<void>;
  /** The outcome is known. A payment that was sent counts as spent either way: the gateway may still cash it. */
  closed(id: string, outcome: 'paid' | 'refused'): Promise<void>;
  /** The payments for exactly this request that may still settle or were refused, the newest first. */
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
  /** Millionths of a dollar that are older than a day. */
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

  /** Millionths of a dollar in 24 hours. An entry of the future counts too: the clock was set back. */
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

/** A ledger that lasts as long as the process. */
export const memoryLedger = (now: () => number = Date.now): SpendingLedger => new MemoryLedger(now);
