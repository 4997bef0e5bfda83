import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../kit/command.ts';
import { suiteWith } from '../kit/optional.ts';
import { alerts, DOCUMENTED, documentedAlerts } from './monitoring.ts';

const RULE_TESTS = 'deploy/prometheus/alerts.test.yaml';

it('each alert has a rule test', () => {
  const { tests } = parse(readFileSync(RULE_TESTS, 'utf8'), { maxAliasCount: -1 });
  expect(tests.map(({ name }: { name: string }) => name)).toEqual(alerts.map(({ alert }) => alert));
});

suiteWith('promtool', 'an alert, judged by Prometheus', (promtool) => {
  it('is silent before its condition and fires after it', async () => {
    const { code, stdout, stderr } = await runCommand([promtool, 'test', 'rules', RULE_TESTS]);
    expect([code, stdout + stderr]).toEqual([0, expect.any(String)]);
  }, 120_000);
});

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
