import { closest } from 'fastest-levenshtein';
import { LIFETIMES, type Lifetime } from '../cache/lifetimes.ts';
import { readObject } from './object-file.ts';
import type { Reader } from './settings.ts';

/** What of the asset data is kept. */
export interface CacheConfig {
  /** By the method of the row; a row that is not here is never kept. */
  readonly lifetimes: Readonly<Record<string, Lifetime>>;
  /** The memory that all answers may take. */
  readonly maxBytes: number;
}

const NAME = 'CACHE_FILE';
const EXAMPLE = '{"tokens.search": {"freshSeconds": 60, "maxStaleSeconds": 300}}';
const PREFIX = 'tokens.';
const MEMBERS = ['freshSeconds', 'maxStaleSeconds'];
const MAX_SECONDS = 604_800;
const MIB = 1024 * 1024;

const isSeconds = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_SECONDS;

function lifetimeIn(value: unknown): Lifetime | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { freshSeconds, maxStaleSeconds } = value as Partial<Lifetime>;
  const isWhole = isSeconds(freshSeconds) && isSeconds(maxStaleSeconds) && maxStaleSeconds >= freshSeconds;
  return isWhole && Object.keys(value).every((name) => MEMBERS.includes(name))
    ? { freshSeconds, maxStaleSeconds }
    : undefined;
}

function faultOf(id: string, value: unknown): string | undefined {
  const ids = Object.keys(LIFETIMES).map((method) => PREFIX + method);
  const shown = JSON.stringify(id);
  if (!ids.includes(id)) return `${shown} is no route that is kept; the nearest is ${closest(id, ids)}`;
  if (lifetimeIn(value)) return undefined;
  return `${shown} must be ${MEMBERS.join(' and ')}, whole seconds up to ${MAX_SECONDS}, the second no less than the first`;
}

/** An operator's own lifetimes over the usual ones. A bound of 0 seconds means that a row is never kept. */
function readLifetimes(read: Reader): Record<string, Lifetime> {
  const lifetimes: Record<string, Lifetime> = { ...LIFETIMES };
  for (const [id, value] of Object.entries(readObject(read, NAME, EXAMPLE))) {
    const fault = faultOf(id, value);
    if (fault !== undefined) read.faults.push(`${NAME}: ${fault}.`);
    const lifetime = lifetimeIn(value);
    if (lifetime?.maxStaleSeconds === 0) delete lifetimes[id.slice(PREFIX.length)];
    else if (lifetime) lifetimes[id.slice(PREFIX.length)] = lifetime;
  }
  return lifetimes;
}

/** Reads what is kept, also where nothing is, so that its faults are named. */
export function readCache(read: Reader): CacheConfig | undefined {
  const lifetimes = readLifetimes(read);
  const maxBytes = read.integer('CACHE_MAX_MIB', 256, [1, 65_536]) * MIB;
  return read.choice('RESPONSE_CACHE', 'off', ['off', 'on']) === 'on' ? { lifetimes, maxBytes } : undefined;
}
