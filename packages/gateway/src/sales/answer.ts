import { GROUPINGS, mostSold } from './grouping.ts';
import { Hours } from './hours.ts';
import type { Journal } from './journal.ts';
import { isGrouping, sinceOf } from './options.ts';
import { groupTable } from './report.ts';
import { objectsOf } from './table.ts';

/** What sales are told of from. */
export interface SalesSource {
  readonly journal: Journal;
  readonly solPriceUsd: number | undefined;
  /** The store's clock. */
  readonly now: () => number;
}

const DAY = '24h';
const KNOWN = ['since', 'by', 'limit'];
const LIMIT = /^[1-9]\d{0,4}$/;

/** Tells what was sold, as JSON, for a query of `since`, `by` and `limit`; nothing where that is not understood. */
export function createSalesAnswer({ journal, solPriceUsd, now }: SalesSource) {
  const hours = new Hours(journal);
  return async (query: URLSearchParams): Promise<string | undefined> => {
    const asked = sinceOf(query.get('since') ?? DAY, now());
    const by = query.get('by') ?? GROUPINGS[0];
    const limit = query.get('limit');
    const isKnown = [...query.keys()].every(
      (name, index, names) => KNOWN.includes(name) && names.indexOf(name) === index,
    );
    if (asked === undefined || !isGrouping(by) || !isKnown || (limit !== null && !LIMIT.test(limit))) return undefined;
    const { sinceMs, isComplete, groups } = await hours.since(asked, by);
    const since = new Date(sinceMs).toISOString();
    const told = limit === null ? groups : mostSold(groups, Number(limit));
    const sales = objectsOf(groupTable(by, told, solPriceUsd));
    return JSON.stringify({ since, by, isComplete, solPriceUsd: solPriceUsd ?? null, count: groups.length, sales });
  };
}
