import { GatewayError } from '@asset-gateway/client';
import { isSameRequest, type LedgerEntry, type SpendingLedger } from '@asset-gateway/client/pay';
import { keep, readSure } from './kept.ts';

const STATES = ['held', 'signed', 'paid', 'refused'] as const;

/** What this browser has spent, or is about to. With its request and headers a payment can be sent again. */
export interface Spent extends Partial<Omit<LedgerEntry, 'micros'>> {
  readonly id: string;
  readonly micros: number;
  /** In milliseconds of the time of day. */
  readonly at: number;
  readonly state: (typeof STATES)[number];
}

const NAME = 'ledger';
const DAY_MS = 86_400_000;

/** For so long it is written down what was settled: a clock that was wrong for a while brings no new day. */
const KEPT_MS = 7 * DAY_MS;

const isWithin = ({ at }: Spent, ms: number): boolean => Date.now() - at < ms;

/** What cannot be sent again is no payment that waits for its answer. */
const isSpent = (value: Partial<Spent> | null): boolean =>
  typeof value?.id === 'string' &&
  Number.isSafeInteger(value.micros) &&
  Number(value.micros) >= 0 &&
  Number.isFinite(value.at) &&
  STATES.some((state) => state === value.state) &&
  (value.state !== 'signed' || (typeof value.request?.url === 'string' && typeof value.headers === 'object'));

const isList = (value: unknown): value is readonly Spent[] => Array.isArray(value) && value.every(isSpent);

const all = (): readonly Spent[] => readSure(NAME, isList, []);

/** Changes what is written down, for all tabs one after the other. What is settled and a week old is let go. */
async function change<T>(
  next: (spent: readonly Spent[]) => { readonly spent: readonly Spent[]; readonly told: T },
): Promise<T> {
  return await navigator.locks.request(`asset-gateway.${NAME}`, async () => {
    const { spent, told } = next(all());
    keep(
      NAME,
      spent.filter((each) => each.state === 'signed' || isWithin(each, KEPT_MS)),
    );
    return told;
  });
}

const put = (id: string, changed: (entry: Spent) => Spent): Promise<void> =>
  change((spent) => {
    // What is not written down is not sent.
    if (!spent.some((each) => each.id === id))
      throw new Error('The payment is not in the ledger of this browser any more.');
    return { spent: spent.map((each) => (each.id === id ? changed(each) : each)), told: undefined };
  });

/** Payments that were signed and of which nothing more is known. */
export function unfinished(): readonly Spent[] {
  try {
    return all().filter(({ state }) => state === 'signed');
  } catch {
    return [];
  }
}

/** A ledger that all tabs of this browser share, and that a reload does not lose. */
export const browserLedger: SpendingLedger = {
  hold(micros, { perDayMicros }) {
    return change((spent) => {
      const day = spent.filter((each) => isWithin(each, DAY_MS)).reduce((sum, each) => sum + each.micros, 0);
      if (!(day + micros <= perDayMicros))
        throw new GatewayError('spending_limit', {
          message: `the cap of $${perDayMicros / 1e6} in 24 hours would be exceeded; nothing was signed`,
        });
      const id = crypto.randomUUID();
      return { spent: [...spent, { id, micros, at: Date.now(), state: 'held' }], told: id };
    });
  },
  signed: (id, { request, headers }) => put(id, (entry) => ({ ...entry, state: 'signed', request, headers })),
  release: (id) => change((spent) => ({ spent: spent.filter((each) => each.id !== id), told: undefined })),
  earlier: async (request) =>
    all()
      .filter((each) => isSameRequest(each.request, request))
      .reverse()
      .flatMap(({ id, at, micros, state, headers = {} }) =>
        state === 'signed' || state === 'refused' ? [{ id, at, micros, headers, state }] : [],
      ),
  // The headers are as good as money until then. A refused payment keeps its request, as no new one is made for that at once.
  closed: (id, state) =>
    put(id, ({ headers: _, request, ...kept }) => ({
      ...kept,
      state,
      ...(state === 'refused' && request && { request }),
    })),
};
