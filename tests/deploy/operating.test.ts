import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alerts } from './monitoring.ts';
import { DOCUMENTED } from './variables.ts';

const page = readFileSync('docs/operating.md', 'utf8');
const named = (pattern: RegExp): string[] => [...page.matchAll(pattern)].map(([, name = '']) => name);

describe('docs/operating.md', () => {
  it('explains each alert, with its severity', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \((\w+)\) \| [^|]+ \| [^|]+ \|$/gm)].map(([, name, severity]) => [
      name,
      severity,
    ]);
    expect(rows).toEqual(alerts.map(({ alert, labels }) => [alert, labels.severity]));
  });

  it('names files that there are', () => {
    const paths = named(/`((?:deploy|tests)\/[\w./-]+)`/g);
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('names variables that there are', () => {
    const variables = named(/`([A-Z]+(?:_[A-Z]+)+)/g);
    expect(variables.length).toBeGreaterThan(10);
    expect(variables.filter((name) => !DOCUMENTED.has(name))).toEqual([]);
  });
});
