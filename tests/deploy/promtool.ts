import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../kit/folder.ts';
import { ALERTS_FILE, alerts } from './monitoring.ts';

/** A gateway's metrics before and after an event; empty if it cannot be scraped. */
export interface Change {
  readonly before: string;
  readonly after: string;
}

/** Whether it happens in every scrape from then on, or has happened once. */
export type Course = 'goes on' | 'once';

const STEP_SECONDS = 30;
const QUIET_STEPS = 20;
/** How much longer than an alert waits its condition lasts: every step of every alert is judged by all rules. */
const MARGIN_STEPS = 20;
const INTERVAL = `${STEP_SECONDS}s`;
const timeOf = (steps: number): string => `${steps * STEP_SECONDS}s`;

/** The steps that an alert waits before it fires; default: 0. */
function waitingSteps(name: string): number {
  const minutes = alerts.find(({ alert }) => alert === name)?.for ?? '0m';
  return (Number(/^(\d+)m$/.exec(minutes)?.[1]) * 60) / STEP_SECONDS;
}

const samplesIn = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...text.matchAll(/^([a-z]\S*(?:\{.*\})?) (\S+)$/gm)].map(([, series = '', value]) => [series, Number(value)]),
  );

const gaugesIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name = '']) => name));

const nameIn = (series: string): string => series.split('{')[0] ?? '';

/** Every word in the rules, the names of metrics among them. */
const NAMED: ReadonlySet<string> = new Set(readFileSync(ALERTS_FILE, 'utf8').match(/\w+/g));

/** `name{a="b"}` as Prometheus stores it, with where it was scraped. */
function stored(series: string): string {
  const [name = '', labels = ''] = series.replace(/\}$/, '').split(/\{(.*)/s);
  const own = labels === '' ? '' : `${labels},`;
  return `${name}{${own}job="asset-gateway",instance="a"}`;
}

const lasting = (value: number | undefined, steps: number): string =>
  value === undefined ? `_x${steps}` : `${value}+0x${steps - 1}`;

/** The series before the event, and for this many steps after it. */
function seriesOf(
  { change: { before, after }, course }: Expected,
  steps: number,
): { series: string; values: string }[] {
  const [quiet, troubled] = [samplesIn(before), samplesIn(after)];
  const gauges = new Set([...gaugesIn(before), ...gaugesIn(after)]);
  // Only series that alerts read: others take most of the time.
  const read = [...new Set([...quiet.keys(), ...troubled.keys()])].filter((series) => NAMED.has(nameIn(series)));
  return read.map((series) => {
    const [first, second] = [quiet.get(series), troubled.get(series)];
    // A counter that is lower than before has begun anew.
    const step = Math.max((second ?? 0) - (first ?? 0), 0);
    const isRising = course === 'goes on' && second !== undefined && !gauges.has(nameIn(series));
    const later = isRising ? `${second}+${step}x${steps - 1}` : lasting(second, steps);
    return { series: stored(series), values: `${lasting(first, QUIET_STEPS)} ${later}` };
  });
}

const fired = (alert: string, steps: number): string =>
  `sum by (alertname) (count_over_time(ALERTS{alertname=~"${alert}",alertstate="firing"}[${timeOf(steps)}])) > bool 0`;

/** This alert must fire after the change; before it all alerts are silent. */
export interface Expected {
  readonly alert: string;
  readonly change: Change;
  readonly course: Course;
}

function testOf(expected: Expected): object {
  const { alert } = expected;
  const steps = waitingSteps(alert) + MARGIN_STEPS;
  const expressions = [
    { expr: fired('.*', QUIET_STEPS), eval_time: timeOf(QUIET_STEPS - 1), exp_samples: [] },
    {
      expr: fired(alert, steps),
      eval_time: timeOf(QUIET_STEPS + steps),
      exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }],
    },
  ];
  const name = `the test of ${alert}`;
  return { name, interval: INTERVAL, input_series: seriesOf(expected, steps), promql_expr_test: expressions };
}

/** The errors of `promtool test rules`; empty if all expectations hold. */
export function disagreement(promtool: string, ...all: readonly Expected[]): string {
  const folder = makeFolder();
  const file = join(folder, 'test.json');
  const tests = all.map(testOf);
  writeFileSync(file, JSON.stringify({ rule_files: [resolve(ALERTS_FILE)], evaluation_interval: INTERVAL, tests }));
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return status === 0 ? '' : stdout + stderr;
}
