import { nearest, type OwnPrice, type Route, routes } from '@asset-gateway/protocol';
import { shown } from '../../apis/document.ts';
import { LIFETIMES, type Lifetime } from '../../cache/lifetimes.ts';
import { type FileEntry, microsOf, PRICED, type SurfaceEntry } from './format.ts';

/** The gateway's own surfaces that the file may change. */
export const OWN_SURFACES = ['tokens', 'rpc', 'das', 'wallet'] as const;
export type OwnSurface = (typeof OWN_SURFACES)[number];

type Settings = NonNullable<SurfaceEntry['operations']>[string];

const restOf = ({ id, surface }: Route): string => id.slice(surface.length + 1);

/** Returns the rows that a name matches: all rows of a method, the row with this id, or all with the prefix before a final `*`. */
function matching(rows: readonly Route[], name: string): Route[] {
  if (!name.endsWith('*')) return rows.filter((row) => row.method === name || restOf(row) === name);
  const start = name.slice(0, -1);
  return start === '' || start.endsWith('.') ? rows.filter((row) => restOf(row).startsWith(start)) : [];
}

const isPrefix = (name: string): boolean => name.endsWith('*');

/** Sorts less specific names first: prefixes by length, then methods, then ids. */
const bySpecificity = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  Number(isPrefix(other)) - Number(isPrefix(one)) || one.length - other.length;

const nearestTo = (name: string, rows: readonly Route[]): string | undefined =>
  nearest(name, [...new Set(rows.flatMap((row) => [row.method, restOf(row)]))]);

/**
 * Reads a file's settings for the gateway's own routes, and collects their faults. Rows are named by id. Without a file there are no
 * settings.
 */
export class SurfaceSettings {
  readonly off = new Set<OwnSurface>();
  /** The limit of each key of a surface's upstream: in calls per minute for `tokens`, in calls per second for the others. */
  readonly limits = new Map<OwnSurface, number>();
  readonly prices = new Map<string, OwnPrice>();
  readonly lifetimes = new Map<string, Lifetime>();
  readonly faults: string[] = [];
  readonly #isEnabled = new Map<string, boolean>();

  constructor(file: FileEntry = {}) {
    for (const surface of OWN_SURFACES) this.#read(surface, file[surface]);
  }

  get disabled(): ReadonlySet<string> {
    return new Set([...this.#isEnabled].flatMap(([id, isEnabled]) => (isEnabled ? [] : [id])));
  }

  #read(surface: OwnSurface, section: SurfaceEntry = {}): void {
    const { enabled, operations = {}, requestsPerMinute, requestsPerSecond } = section;
    const rows = routes.filter((route) => route.surface === surface);
    const limit = requestsPerMinute ?? requestsPerSecond;
    if (enabled === false) this.off.add(surface);
    if (limit !== undefined) this.limits.set(surface, limit);
    this.#setPrice(rows, section, surface);
    for (const [name, settings] of Object.entries(operations).sort(bySpecificity)) {
      const found = matching(rows, name);
      if (found.length > 0) this.#set(found, settings, `${surface}.operations.${name}`);
      else this.#fault(`${surface}.operations`, `has no ${shown(name)}; the nearest is ${nearestTo(name, rows)}`);
    }
  }

  #fault(keyPath: string, fault: string): void {
    this.faults.push(`${keyPath} ${fault}`);
  }

  #set(rows: readonly Route[], settings: Settings, keyPath: string): void {
    const { enabled, cache } = settings;
    if (enabled !== undefined) for (const { id } of rows) this.#isEnabled.set(id, enabled);
    this.#setPrice(rows, settings, keyPath);
    if (cache !== undefined) this.#setLifetime(rows, cache, `${keyPath}.cache`);
  }

  #setPrice(rows: readonly Route[], { price, settlementFee }: Settings, keyPath: string): void {
    if (price === undefined && settlementFee === undefined) return;
    const name = `${keyPath}.${price === undefined ? 'settlementFee' : 'price'}`;
    const sold = rows.filter(({ access }) => access === 'exact');
    const micros = price === undefined ? undefined : microsOf(price);
    if (sold.length === 0) this.#fault(name, 'cannot be set: free routes have no price');
    else if (micros !== undefined && !(micros >= 1)) this.#fault(name, `must be ${PRICED}`);
    else if (micros === undefined && !sold.every(({ id }) => this.prices.has(id)))
      this.#fault(name, 'needs a price here');
    for (const { id } of sold) {
      const general = this.prices.get(id);
      const hasFee = settlementFee ?? general?.settlementFee ?? false;
      this.prices.set(id, { micros: micros ?? general?.micros ?? 0, settlementFee: hasFee });
    }
  }

  #setLifetime(rows: readonly Route[], lifetime: Lifetime, keyPath: string): void {
    const cached = rows.filter(({ id }) => Object.hasOwn(LIFETIMES, id));
    if (cached.length === 0) this.#fault(keyPath, 'cannot be set: these answers are never cached');
    else if (lifetime.maxStaleSeconds < lifetime.freshSeconds) {
      this.#fault(keyPath, 'has a maxStaleSeconds below its freshSeconds');
    }
    for (const { id } of cached) this.lifetimes.set(id, lifetime);
  }
}
