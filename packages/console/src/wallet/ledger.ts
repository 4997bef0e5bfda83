import { GatewayError } from '@asset-gateway/client';
import { isSameRequest, type LedgerEntry, type SpendingLedger } from '@asset-gateway/client/pay';
import { attempt, DAY_MS, dollarText } from '@asset-gateway/protocol';
import { readStoredOrThrow, store } from './storage.ts';

const STATES = ['held', 'signed', 'paid', 'refused'] as const;

/** A payment that this browser made or reserved. Its request and headers let it be resent. */
export interface Spent extends Partial<Omit<LedgerEntry, 'micros'>> {
  readonly id: string;
  readonly micros: number;
  /** Unix milliseconds, by the time of day. */
  readonly at: number;
  readonly state: (typeof STATES)[number];
}

const NAME = 'ledger';

/**
 * How long a settled payment stays in the ledger, in milliseconds. It is longer than the cap's day, because the clock may be wrong for a
 * while.
 */
const RETENTION_MS = 7 * DAY_MS;

const isWithin = ({ at }: Spent, ms: number): boolean => Date.now() - at < ms;

/** Whether a value is a stored payment. A signed one must have everything that is needed to send it again. */
const isSpent = (value: Partial<Spent> | null): boolean =>
  typeof value?.id === 'string' &&
  Number.isSafeInteger(value.micros) &&
  Number(value.micros) >= 0 &&
  Number.isFinite(value.at) &&
  STATES.some((state) => state === value.state) &&
  (value.state !== 'signed' || (typeof value.request?.url === 'string' && typeof value.headers === 'object'));

const isList = (value: unknown): value is readonly Spent[] => Array.isArray(value) && value.every(isSpent);

const all = (): readonly Spent[] => readStoredOrThrow(NAME, isList, []);

/** Changes the ledger, one tab at a time. Drops settled entries older than a week. */
async function change(next: (spent: readonly Spent[]) => readonly Spent[]): Promise<void> {
  await navigator.locks.request(`asset-gateway.${NAME}`, () => {
    const spent = next(all());
    store(
      NAME,
      spent.filter((each) => each.state === 'signed' || isWithin(each, RETENTION_MS)),
    );
  });
}

const put = (id: string, changed: (entry: Spent) => Spent): Promise<void> =>
  change((spent) => {
    // Do not send a payment that is not in the ledger.
    if (!spent.some((each) => each.id === id))
      throw new Error('The payment is no longer in the ledger of this browser.');
    return spent.map((each) => (each.id === id ? changed(each) : each));
  });

const dayOf = (spent: readonly Spent[]): number =>
  spent.filter((each) => isWithin(each, DAY_MS)).reduce((sum, each) => sum + each.micros, 0);

/** Returns the spending that counts towards the 24-hour limit, in millionths of a dollar; undefined if the ledger cannot be read. */
export const spentMicros = (): number | undefined => attempt(() => dayOf(all()), undefined);

/** Returns the signed payments with an unknown outcome. */
export const unfinished = (): readonly Spent[] => attempt(all, []).filter(({ state }) => state === 'signed');

/** A ledger that all tabs of this browser share. It survives a reload. */
export const browserLedger: SpendingLedger = {
  async hold(micros, { perDayMicros }) {
    const id = crypto.randomUUID();
    await change((spent) => {
      if (!(dayOf(spent) + micros <= perDayMicros))
        throw new GatewayError('spending_limit', {
          message: `the cap of ${dollarText(perDayMicros)} in 24 hours would be exceeded; nothing was signed`,
        });
      return [...spent, { id, micros, at: Date.now(), state: 'held' }];
    });
    return id;
  },
  signed: (id, { micros: _, ...signed }) => put(id, (entry) => ({ ...entry, ...signed, state: 'signed' })),
  release: (id) => change((spent) => spent.filter((each) => each.id !== id)),
  earlier: async (wanted) =>
    all()
      .filter(({ request }) => !wanted || isSameRequest(request, wanted))
      .reverse()
      .flatMap(({ state, headers = {}, request: _, ...payment }) =>
        state === 'signed' || state === 'refused' ? [{ ...payment, headers, state }] : [],
      ),
  // Drop the headers, because anyone who has them can spend the payment. A refused payment keeps its trace, which shows
  // whether it has settled. Another tab may have released it.
  closed: (id, state) =>
    change((spent) =>
      spent.map((entry) => {
        if (entry.id !== id) return entry;
        const { headers: _, request, trace, ...kept } = entry;
        return { ...kept, state, ...(state === 'refused' && request && { request, trace }) };
      }),
    ),
};
