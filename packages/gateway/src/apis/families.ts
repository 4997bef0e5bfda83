import { type Route, routes } from '@asset-gateway/protocol';
import { closest } from 'fastest-levenshtein';
import { LIFETIMES, type Lifetime } from '../cache/lifetimes.ts';
import { shown } from './document.ts';
import { type FamilyEntry, type FileEntry, microsOf } from './format.ts';

/** The gateway's own families of routes. */
export const FAMILIES = ['tokens', 'rpc', 'das', 'wallet'] as const;
export type Family = (typeof FAMILIES)[number];

/** What a file says about the gateway's own routes; rows are named by id. */
export interface FamilySettings {
  readonly off: ReadonlySet<Family>;
  /** For each key of a family's upstream: a minute for tokens, else a second. */
  readonly limits: ReadonlyMap<Family, number>;
  readonly disabled: ReadonlySet<string>;
  /** In millionths of a dollar. */
  readonly prices: ReadonlyMap<string, number>;
  readonly lifetimes: ReadonlyMap<string, Lifetime>;
}

/** Without a file. */
export const USUAL_FAMILIES: FamilySettings = {
  off: new Set(),
  limits: new Map(),
  disabled: new Set(),
  prices: new Map(),
  lifetimes: new Map(),
};

type Settings = NonNullable<FamilyEntry['operations']>[string];

const restOf = ({ id, surface }: Route): string => id.slice(surface.length + 1);

/** The rows that a name matches: all of a method, the one with this id, or those with the prefix before a final `*`. */
function matching(rows: readonly Route[], name: string): Route[] {
  if (!name.endsWith('*')) return rows.filter((row) => row.method === name || restOf(row) === name);
  const start = name.slice(0, -1);
  return start === '' || start.endsWith('.') ? rows.filter((row) => restOf(row).startsWith(start)) : [];
}

const isPrefix = (name: string): boolean => name.endsWith('*');

/** Less specific names first: prefixes by length, then methods, then ids. */
const bySpecificity = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  Number(isPrefix(other)) - Number(isPrefix(one)) || one.length - other.length;

/** Reads the section of one family, and collects its faults. */
class FamilyReading {
  readonly disabled = new Map<string, boolean>();
  readonly prices = new Map<string, number>();
  readonly lifetimes = new Map<string, Lifetime>();
  readonly faults: string[] = [];
  readonly #family: Family;
  readonly #rows: readonly Route[];

  constructor(family: Family) {
    this.#family = family;
    this.#rows = routes.filter(({ surface }) => surface === family);
  }

  read({ price, operations = {} }: FamilyEntry): void {
    if (price !== undefined) this.#setPrice(this.#rows, price, 'price');
    for (const [name, settings] of Object.entries(operations).sort(bySpecificity)) {
      const rows = matching(this.#rows, name);
      if (rows.length > 0) this.#set(rows, settings, `operations.${name}`);
      else this.#fault('operations', `has no ${shown(name)}; the nearest is ${this.#nearest(name)}`);
    }
  }

  #fault(place: string, fault: string): void {
    this.faults.push(`${this.#family}.${place} ${fault}`);
  }

  #nearest(name: string): string {
    return closest(name, [...new Set(this.#rows.flatMap((row) => [row.method, restOf(row)]))]);
  }

  #set(rows: readonly Route[], { enabled, price, cache }: Settings, place: string): void {
    if (enabled !== undefined) for (const { id } of rows) this.disabled.set(id, !enabled);
    if (price !== undefined) this.#setPrice(rows, price, `${place}.price`);
    if (cache !== undefined) this.#setLifetime(rows, cache, `${place}.cache`);
  }

  #setPrice(rows: readonly Route[], price: string, place: string): void {
    const micros = microsOf(price);
    const sold = rows.filter(({ access }) => access === 'exact');
    if (sold.length === 0) this.#fault(place, 'cannot be set: free routes have no price');
    else if (micros < 1) this.#fault(place, 'must be above 0');
    for (const { id } of sold) this.prices.set(id, micros);
  }

  #setLifetime(rows: readonly Route[], lifetime: Lifetime, place: string): void {
    const cached = rows.filter(({ id }) => Object.hasOwn(LIFETIMES, id));
    if (cached.length === 0) this.#fault(place, 'cannot be set: these answers are never cached');
    else if (lifetime.maxStaleSeconds < lifetime.freshSeconds) {
      this.#fault(place, 'has a maxStaleSeconds below its freshSeconds');
    }
    for (const { id } of cached) this.lifetimes.set(id, lifetime);
  }
}

const limitIn = ({ requestsPerMinute, requestsPerSecond }: FamilyEntry) => requestsPerMinute ?? requestsPerSecond;

/** What a file says about the gateway's own routes, and its faults. */
export function readFamilies(file: FileEntry): { families: FamilySettings; faults: string[] } {
  const sections = FAMILIES.flatMap((family) => {
    const entry: FamilyEntry | undefined = file[family];
    if (entry === undefined) return [];
    const reading = new FamilyReading(family);
    reading.read(entry);
    return [{ family, entry, reading }];
  });
  const limits = sections.flatMap(({ family, entry }) => {
    const limit = limitIn(entry);
    return limit === undefined ? [] : [[family, limit] as const];
  });
  const disabled = sections.flatMap(({ reading }) => [...reading.disabled].filter(([, isDisabled]) => isDisabled));
  return {
    families: {
      off: new Set(sections.filter(({ entry }) => entry.enabled === false).map(({ family }) => family)),
      limits: new Map(limits),
      disabled: new Set(disabled.map(([id]) => id)),
      prices: new Map(sections.flatMap(({ reading }) => [...reading.prices])),
      lifetimes: new Map(sections.flatMap(({ reading }) => [...reading.lifetimes])),
    },
    faults: sections.flatMap(({ reading }) => reading.faults),
  };
}
