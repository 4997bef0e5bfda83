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

/** This browser's key pair, whose private key cannot be exported. Created once per origin; kept for the tab alone if nothing can be stored. */
export async function browserKey(): Promise<{ readonly key: CryptoKeyPair; readonly isStored: boolean }> {
  const key = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair;
  try {
    const database = await open();
    // If two tabs start at once, both use the key that was written first.
    return await navigator.locks.request(NAME, async () => {
      const stored = (await settled(storeOf(database, 'readonly').get(NAME))) as CryptoKeyPair | undefined;
      if (!stored) await settled(storeOf(database, 'readwrite').put(key, NAME));
      return { key: stored ?? key, isStored: true };
    });
  } catch {
    return { key, isStored: false };
  }
}

/** Deletes the key; its funds are then lost. */
export async function deleteBrowserKey(): Promise<void> {
  await settled(storeOf(await open(), 'readwrite').delete(NAME));
}
