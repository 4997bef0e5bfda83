import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../kit/folder.ts';
import { ALERTS_FILE } from './monitoring.ts';

/** What a gateway gave out before something happened and after it; nothing when it could not be scraped any more. */
export interface Change {
  readonly before: string;
  readonly after: string;
}

/** Whether it happens in every scrape from then on, or has happened once. */
export type Course = 'goes on' | 'once';

const STEP_SECONDS = 15;
const QUIET_STEPS = 40;
const TROUBLE_STEPS = 160;
const timeOf = (steps: number): string => `${steps * STEP_SECONDS}s`;

const samplesIn = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...text.matchAll(/^([a-z]\S*(?:\{.*\})?) (\S+)$/gm)].map(([, series = '', value]) => [series, Number(value)]),
  );

const gaugesIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name = '']) => name));

/** `name{a="b"}` as Prometheus stores it, with where it was scraped. */
function stored(series: string): string {
  const [name = '', labels = ''] = series.replace(/\}$/, '').split(/\{(.*)/s);
  const own = labels === '' ? '' : `${labels},`;
  return `${name}{${own}job="asset-gateway",instance="a"}`;
}

const lasting = (value: number | undefined, steps: number): string =>
  value === undefined ? `_x${steps}` : `${value}+0x${steps - 1}`;

/** What Prometheus scrapes while nothing happens, and then while it does. */
function seriesOf({ before, after }: Change, course: Course): { series: string; values: string }[] {
  const [quiet, troubled] = [samplesIn(before), samplesIn(after)];
  const gauges = new Set([...gaugesIn(before), ...gaugesIn(after)]);
  return [...new Set([...quiet.keys(), ...troubled.keys()])].map((series) => {
    const [first, second] = [quiet.get(series), troubled.get(series)];
    // A counter that is lower than before has begun anew.
    const step = Math.max((second ?? 0) - (first ?? 0), 0);
    const isRising = course === 'goes on' && second !== undefined && !gauges.has(series.split('{')[0] ?? '');
    const later = isRising ? `${second}+${step}x${TROUBLE_STEPS - 1}` : lasting(second, TROUBLE_STEPS);
    return { series: stored(series), values: `${lasting(first, QUIET_STEPS)} ${later}` };
  });
}

const fired = (alert: string, steps: number): string =>
  `sum by (alertname) (count_over_time(ALERTS{alertname=~"${alert}",alertstate="firing"}[${timeOf(steps)}])) > bool 0`;

/** What `promtool test rules` says when the alerts are to be silent before and one of them is to fire after; empty when it agrees. */
export function disagreement(promtool: string, alert: string, change: Change, course: Course): string {
  const folder = makeFolder();
  const file = join(folder, 'test.json');
  const expressions = [
    { expr: fired('.*', QUIET_STEPS), eval_time: timeOf(QUIET_STEPS - 1), exp_samples: [] },
    {
      expr: fired(alert, TROUBLE_STEPS),
      eval_time: timeOf(QUIET_STEPS + TROUBLE_STEPS),
      exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }],
    },
  ];
  const interval = `${STEP_SECONDS}s`;
  const test = { interval, input_series: seriesOf(change, course), promql_expr_test: expressions };
  writeFileSync(
    file,
    JSON.stringify({ rule_files: [resolve(ALERTS_FILE)], evaluation_interval: interval, tests: [test] }),
  );
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return status === 0 ? '' : stdout + stderr;
}
