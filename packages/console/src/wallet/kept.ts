/** What this browser keeps under a name; what cannot be read is what was never written. */
export function readKept<T>(name: string, fallback: T): T {
  try {
    return (JSON.parse(localStorage.getItem(`asset-gateway.${name}`) ?? 'null') as T | null) ?? fallback;
  } catch {
    return fallback;
  }
}

/** The same of what must not be lost: throws where it is there and cannot be read. */
export function readSure<T>(name: string, isRight: (value: unknown) => value is T, fallback: T): T {
  const text = localStorage.getItem(`asset-gateway.${name}`);
  if (text === null) return fallback;
  const value = readKept<unknown>(name, undefined);
  if (isRight(value)) return value;
  throw new Error(
    `What this browser keeps of its ${name} cannot be read. Nothing is signed until its site data is cleared.`,
  );
}

/** Keeps it. Throws where the browser keeps nothing. */
export function keep(name: string, value: unknown): void {
  localStorage.setItem(`asset-gateway.${name}`, JSON.stringify(value));
}
