import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../kit/command.ts';
import { suiteWith } from '../kit/optional.ts';
import { alerts } from './monitoring.ts';

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
