import { afterValue, type RequestValues, type Route } from '@asset-gateway/protocol';
import type { Input } from '../call.ts';
import type { CacheKey } from './cache-key.ts';
import { BATCH_SIZES, type Lifetime } from './lifetimes.ts';
import { type CachedAnswer, entryFor, type FetchPlan } from './stored.ts';

/** How a row answers a list of mints, for rows that are cached per mint. */
interface BatchRow {
  /** The part of a request that has the list of mints. */
  readonly place: 'query' | 'body';
  /** The member of an item that holds its mint. */
  readonly mint: 'address' | 'mint';
  /** The text before and after the items. */
  readonly around: readonly [string, string];
}

const ROWS: Readonly<Record<string, BatchRow>> = {
  'tokens.marketSnapshots': { place: 'body', mint: 'address', around: ['[', ']'] },
  'tokens.variantMarkets': { place: 'query', mint: 'mint', around: ['{"variants":[', ']}'] },
};

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value : []);

/** Returns the distinct mints of a request to a row that is cached per mint, in the upstream's order. */
export function mintsOf({ id }: Route, input: Input): readonly string[] {
  const { mints, addresses } = input[ROWS[id]?.place ?? 'body'];
  return [...new Set([...listOf(mints), ...listOf(addresses)])];
}

/** Returns the cache key of one mint. */
export const mintKeyOf = ({ id }: Route, mint: string, kept: Lifetime): CacheKey => ({
  ...{ id: `${id} ${mint}`, ...kept },
  batch: { name: id, size: BATCH_SIZES[id] ?? 1 },
});

/** Returns the input of one call for these mints. Each mint was validated in its own request. */
export function batchInput({ id }: Route, mints: readonly string[]): Input {
  const values: RequestValues = { path: {}, query: {}, body: {}, [ROWS[id]?.place ?? 'body']: { mints } };
  return values as Input;
}

/** Returns the items of a list; none if the text is not a list. */
function parsed(json: string): readonly (Record<string, unknown> | null)[] {
  try {
    return JSON.parse(json);
  } catch {
    return [];
  }
}

/** Returns the unchanged texts of an upstream's items, by mint; none unless the answer is a JSON list without spaces. */
export function itemsOf({ id }: Route, json: string): ReadonlyMap<unknown, string> {
  const { mint = 'mint', around: [before, after] = ['', ''] } = ROWS[id] ?? {};
  if (!json.startsWith(before) || !json.endsWith(after)) return new Map();
  const inside = json.slice(before.length, json.length - after.length);
  const values = parsed(`[${inside}]`);
  const texts = textsOf(inside, values.length);
  return new Map(values.map((value, index) => [value?.[mint], texts[index] ?? '']));
}

/** Splits a list's text into its items. The text must be valid JSON. */
function textsOf(inside: string, count: number): string[] {
  const texts: string[] = [];
  for (let start = 0; texts.length < count; ) {
    const end = afterValue(inside, start);
    texts.push(inside.slice(start, end).trim());
    start = end + 1;
  }
  return texts;
}

/** Returns the text that the upstream would send for these items. */
export function batchText({ id }: Route, items: readonly Pick<CachedAnswer, 'json'>[]): string {
  const [before, after] = ROWS[id]?.around ?? ['', ''];
  return `${before}${items.map(({ json }) => json).join(',')}${after}`;
}

/**
 * Returns the cache entries that a call's answer gives to these keys; from a batch only the requested items. `sentAtMs`: when the call went
 * out.
 */
export function entriesIn(plans: readonly FetchPlan[], route: Route, json: string, sentAtMs: number): CachedAnswer[] {
  if (plans.every(({ mint }) => mint === undefined)) return plans.map((plan) => entryFor(plan, sentAtMs, json));
  const items = itemsOf(route, json);
  return plans.flatMap((plan) => {
    const text = items.get(plan.mint);
    return text === undefined ? [] : entryFor(plan, sentAtMs, text);
  });
}
