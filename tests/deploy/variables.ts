import { readFileSync } from 'node:fs';

/** The variables that docs/configuration.md names in its table. */
export const DOCUMENTED: ReadonlySet<string> = new Set(
  readFileSync('docs/configuration.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => line.split('|')[1]?.match(/[A-Z][A-Z_]+/g) ?? []),
);
