import { readFileSync } from 'node:fs';

/** Returns the version of this gateway, from its package. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String((manifest as { version?: unknown }).version);
}
