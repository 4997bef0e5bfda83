/** Reads a value from localStorage; the fallback if it is missing or unreadable. */
export function readStored<T>(name: string, fallback: T): T {
  try {
    return (JSON.parse(localStorage.getItem(`asset-gateway.${name}`) ?? 'null') as T | null) ?? fallback;
  } catch {
    return fallback;
  }
}

/** Like `readStored`, but throws if the value exists and is invalid. */
export function readStoredOrThrow<T>(name: string, isValid: (value: unknown) => value is T, fallback: T): T {
  const text = localStorage.getItem(`asset-gateway.${name}`);
  if (text === null) return fallback;
  const value = readStored<unknown>(name, undefined);
  if (isValid(value)) return value;
  throw new Error(
    `The ${name} stored in this browser cannot be read. Nothing is signed until you clear this site's data.`,
  );
}

/** Throws if the browser stores nothing. */
export function store(name: string, value: unknown): void {
  localStorage.setItem(`asset-gateway.${name}`, JSON.stringify(value));
}
