import { type Books, GROUPINGS } from './books.ts';
import { isGrouping, sinceOf } from './options.ts';
import { groupTable, objectsOf } from './report.ts';

/** The source of sales reports. */
export interface SalesSource {
  /** Undefined if nothing is sold. */
  readonly books: Books | undefined;
  readonly solPriceUsd: number | undefined;
  /** The clock of the journal. */
  readonly now: () => number;
}

const DAY = '24h';
const KNOWN = ['since', 'by', 'limit'];
const LIMIT = /^[1-9]\d{0,4}$/;
const NOTHING = { groups: [], count: 0 };

/** Answers a query of `since`, `by` and `limit` with sales as JSON; undefined if the query is invalid. */
export function createSalesAnswer({ books, solPriceUsd, now }: SalesSource) {
  return async (query: URLSearchParams): Promise<string | undefined> => {
    const sinceMs = sinceOf(query.get('since') ?? DAY, now());
    const by = query.get('by') ?? GROUPINGS[0];
    const limit = query.get('limit');
    const isKnown = [...query.keys()].every(
      (name, index, names) => KNOWN.includes(name) && names.indexOf(name) === index,
    );
    if (sinceMs === undefined || !isGrouping(by) || !isKnown || (limit !== null && !LIMIT.test(limit)))
      return undefined;
    const found = await books?.groups(sinceMs, by, limit === null ? undefined : Number(limit));
    const { groups, count } = found ?? NOTHING;
    const sales = objectsOf(groupTable(by, groups, solPriceUsd));
    const since = new Date(sinceMs).toISOString();
    return JSON.stringify({ since, by, isComplete: true, solPriceUsd: solPriceUsd ?? null, count, sales });
  };
}
