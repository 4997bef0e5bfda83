import { GROUPINGS } from './grouping.ts';
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
const KNOWN = ['since', 'by'];

/** Tells what was sold, as JSON, for a query of `since` and `by`; nothing where that is not understood. */
export function createSalesAnswer({ journal, solPriceUsd, now }: SalesSource) {
  const hours = new Hours(journal);
  return async (query: URLSearchParams): Promise<string | undefined> => {
    const asked = sinceOf(query.get('since') ?? DAY, now());
    const by = query.get('by') ?? GROUPINGS[0];
    const isKnown = [...query.keys()].every(
      (name, index, names) => KNOWN.includes(name) && names.indexOf(name) === index,
    );
    if (asked === undefined || !isGrouping(by) || !isKnown) return undefined;
    const { sinceMs, isComplete, groups } = await hours.since(asked, by);
    const since = new Date(sinceMs).toISOString();
    const sales = objectsOf(groupTable(by, groups, solPriceUsd));
    return JSON.stringify({ since, by, isComplete, solPriceUsd: solPriceUsd ?? null, sales });
  };
}
