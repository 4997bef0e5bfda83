/** A key pair of WebCrypto whose private key nobody can read, not even this page. */
export type TabKey = CryptoKeyPair;

const [DATABASE, STORE, NAME] = ['asset-gateway', 'keys', 'wallet'];

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return settled(request);
}

const storeOf = (database: IDBDatabase, mode: IDBTransactionMode): IDBObjectStore =>
  database.transaction(STORE, mode).objectStore(STORE);

const newKey = (): Promise<TabKey> =>
  crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']) as Promise<TabKey>;

/** The key of this browser: made once, kept where only this origin can use it; for the tab alone where nothing can be kept. */
export async function browserKey(): Promise<{ readonly key: TabKey; readonly isKept: boolean }> {
  const key = await newKey();
  try {
    const database = await open();
    // Two tabs that begin at once: the one that is written first counts for both.
    return await navigator.locks.request(NAME, async () => {
      const kept = (await settled(storeOf(database, 'readonly').get(NAME))) as TabKey | undefined;
      if (!kept) await settled(storeOf(database, 'readwrite').put(key, NAME));
      return { key: kept ?? key, isKept: true };
    });
  } catch {
    return { key, isKept: false };
  }
}

/** Lets go of the key. What its address holds is then out of reach for good. */
export async function forgetKey(): Promise<void> {
  await settled(storeOf(await open(), 'readwrite').delete(NAME));
}
