import type { Caps } from '@asset-gateway/client/pay';
import { attempt } from '@asset-gateway/protocol';

/** Returns a value from localStorage. The fallback if it is missing or unreadable. */
export const readStored = <T>(name: string, fallback: T): T =>
  attempt(() => JSON.parse(localStorage.getItem(`asset-gateway.${name}`) ?? 'null') as T | null, null) ?? fallback;

/** Returns a value as `readStored` does, but throws if the value exists and is invalid. */
export function readStoredOrThrow<T>(name: string, isValid: (value: unknown) => value is T, fallback: T): T {
  const text = localStorage.getItem(`asset-gateway.${name}`);
  if (text === null) return fallback;
  const value = readStored<unknown>(name, undefined);
  if (isValid(value)) return value;
  throw new Error(
    `The ${name} stored in this browser cannot be read. Nothing is signed until you clear this site's data.`,
  );
}

/** Stores a value. Throws if the browser stores nothing. */
export function store(name: string, value: unknown): void {
  localStorage.setItem(`asset-gateway.${name}`, JSON.stringify(value));
}

/** The most that this page pays, in dollars. */
export type PageCaps = Readonly<Record<Exclude<keyof Caps, 'inAllUsd'>, number>>;

const NAME = 'caps';
const DEFAULT: PageCaps = { perCallUsd: 0.01, perBundleUsd: 0.05, perDayUsd: 1 };
const NOTHING: PageCaps = { perCallUsd: 0, perBundleUsd: 0, perDayUsd: 0 };

export const isCap = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1000;

const isCaps = (value: unknown): value is PageCaps =>
  typeof value === 'object' && value !== null && Object.keys(DEFAULT).every((name) => isCap(Reflect.get(value, name)));

/** Returns this browser's caps. If stored caps are unreadable, nothing is paid, because they may have been lower than the default. */
export const readCaps = (): PageCaps => attempt(() => readStoredOrThrow(NAME, isCaps, DEFAULT), NOTHING);

export const storeCaps = (caps: PageCaps): void => store(NAME, caps);

const [DATABASE, STORE, KEY] = ['asset-gateway', 'keys', 'wallet'];

const idbResult = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return idbResult(request);
}

const storeOf = (database: IDBDatabase, mode: IDBTransactionMode): IDBObjectStore =>
  database.transaction(STORE, mode).objectStore(STORE);

/**
 * Returns this browser's key pair, whose private key cannot be exported. It is made once per origin. If nothing can be stored, it lasts as
 * long as the tab.
 */
export async function browserKey(): Promise<{ readonly key: CryptoKeyPair; readonly isStored: boolean }> {
  const key = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair;
  try {
    const database = await open();
    // If two tabs start at once, both use the key that was written first.
    return await navigator.locks.request(KEY, async () => {
      const stored = (await idbResult(storeOf(database, 'readonly').get(KEY))) as CryptoKeyPair | undefined;
      if (!stored) await idbResult(storeOf(database, 'readwrite').put(key, KEY));
      return { key: stored ?? key, isStored: true };
    });
  } catch {
    return { key, isStored: false };
  }
}

/** Deletes the key. Its funds are then lost. */
export async function deleteBrowserKey(): Promise<void> {
  await idbResult(storeOf(await open(), 'readwrite').delete(KEY));
}
