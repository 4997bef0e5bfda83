import { envelope, type Route } from '@asset-gateway/protocol';
import type { Answer, Input } from '../call.ts';
import { afterValue } from '../upstreams/member-text.ts';
import type { CacheKey } from './known-key.ts';
import { BATCH_SIZES, type Lifetime } from './lifetimes.ts';
import { cacheHeaders, type Fetched, type KeptItem, tagOf } from './stored.ts';

/** A row that answers for a list of mints, and is kept by mint. */
interface BatchRow {
  /** Where its lists are. */
  readonly place: 'query' | 'body';
  /** The member of each item that says which mint it is about. */
  readonly mint: 'address' | 'mint';
  /** What stands around the items. */
  readonly around: readonly [string, string];
}

const ROWS: Readonly<Record<string, BatchRow>> = {
  marketSnapshots: { place: 'body', mint: 'address', around: ['[', ']'] },
  variantMarkets: { place: 'query', mint: 'mint', around: ['{"variants":[', ']}'] },
};

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value : []);

/** The mints that a request asks for, each once, in the order in which the upstream answers them; nothing for other rows. */
export function mintsOf({ method }: Route, input: Input): readonly string[] | undefined {
  const row = ROWS[method];
  if (!row) return undefined;
  const { mints, addresses } = input[row.place];
  return [...new Set([...listOf(mints), ...listOf(addresses)])];
}

/** What the answer for one mint is kept under. */
export const mintKeyOf = ({ method }: Route, mint: string, kept: Lifetime): CacheKey => ({
  ...{ id: `${method} ${mint}`, ...kept },
  batch: { name: method, size: BATCH_SIZES[method] ?? 1 },
});

/** The input of one call for these mints, each of which has passed the row's schema in a request of its own. */
export function batchInput({ method }: Route, mints: readonly string[]): Input {
  const values = { path: {}, query: {}, body: {}, [ROWS[method]?.place ?? 'body']: { mints } };
  return values as unknown as Input;
}

/** A text that is cut elsewhere than around its items is no list of them. */
function parsed(json: string): readonly (Record<string, unknown> | null)[] {
  try {
    return JSON.parse(json);
  } catch {
    return [];
  }
}

/** The texts of an upstream's items by mint, unchanged; none of an answer in another shape than a list in compact JSON. */
export function itemsOf({ method }: Route, json: string): ReadonlyMap<unknown, string> {
  const { mint = 'mint', around: [before, after] = ['', ''] } = ROWS[method] ?? {};
  if (!json.startsWith(before) || !json.endsWith(after)) return new Map();
  const inside = json.slice(before.length, json.length - after.length);
  const values = parsed(`[${inside}]`);
  const texts = textsOf(inside, values.length);
  return new Map(values.map((value, index) => [value?.[mint], texts[index] ?? '']));
}

/** Cuts the items of a list apart. The text must have been parsed before. */
function textsOf(inside: string, count: number): string[] {
  const texts: string[] = [];
  for (let start = 0; texts.length < count; ) {
    const end = afterValue(inside, start);
    texts.push(inside.slice(start, end).trim());
    start = end + 1;
  }
  return texts;
}

/** The answer that the upstream would give for these items, with what is told of the oldest. */
export function assembled(route: Route, items: readonly KeptItem[], nowMs: number, fetched?: Fetched): Answer {
  const [before, after] = ROWS[route.method]?.around ?? ['', ''];
  const json = `${before}${items.map((item) => item.json).join(',')}${after}`;
  const body = Buffer.from(envelope(route, json));
  const age = Math.max(0, ...items.map((item) => item.ageSeconds(nowMs)));
  const freshSeconds = Math.min(...items.map(({ key }) => key.freshSeconds));
  return { json, body, headers: cacheHeaders(age, { freshSeconds }, fetched, tagOf(body)) };
}
