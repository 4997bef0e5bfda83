import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alerts, documentedAlerts } from './monitoring.ts';
import { DOCUMENTED } from './variables.ts';

const FOLDER = 'docs/operating';
const pages = readdirSync(FOLDER).map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'));
const named = (pattern: RegExp): string[] =>
  pages.flatMap((page) => Array.from(page.matchAll(pattern), ([, name = '']) => name));

describe('docs/operating/', () => {
  it('explains each alert, with its severity', () => {
    expect(documentedAlerts.map(([alert, severity]) => [alert, severity])).toEqual(
      alerts.map(({ alert, labels }) => [alert, labels.severity]),
    );
  });

  it('leads from its index to each page', () => {
    const index = readFileSync(`${FOLDER}/index.md`, 'utf8');
    const others = readdirSync(FOLDER).filter((name) => name !== 'index.md');
    expect(others.filter((name) => !index.includes(`](${name})`))).toEqual([]);
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
