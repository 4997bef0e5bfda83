import { readFileSync } from 'node:fs';

/** The variables that docs/configuration.md names in its table. */
export const DOCUMENTED: ReadonlySet<string> = new Set(
  readFileSync('docs/configuration.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => line.split('|')[1]?.match(/[A-Z][A-Z_]+/g) ?? []),
);

/** The drain time of start.ts. */
export const DRAIN_SECONDS = Number(
  /DRAIN_MS = (\d+)_000/.exec(readFileSync('packages/gateway/src/start.ts', 'utf8'))?.[1],
);
