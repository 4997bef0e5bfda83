/** What this browser keeps under a name; what cannot be read is what was never written. */
export function readKept<T>(name: string, fallback: T): T {
  try {
    return (JSON.parse(localStorage.getItem(`asset-gateway.${name}`) ?? 'null') as T | null) ?? fallback;
  } catch {
    return fallback;
  }
}

/** Keeps it. Throws where the browser keeps nothing. */
export function keep(name: string, value: unknown): void {
  localStorage.setItem(`asset-gateway.${name}`, JSON.stringify(value));
}
