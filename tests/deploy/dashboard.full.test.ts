import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { REFUSALS, routes } from '@asset-gateway/protocol';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { TASKS } from '../../packages/gateway/src/background.ts';
import { Metrics } from '../../packages/gateway/src/metrics/metrics.ts';
import { runCommand } from '../kit/command.ts';
import { suiteWith } from '../kit/optional.ts';
import { readYaml } from '../kit/yaml.ts';
import { Scrape } from '../operations/scrape.ts';
import { alerts, DOCUMENTED, documentedMetrics, FOREIGN, panels, salesPanels } from './monitoring.ts';

const RULE_TESTS = 'deploy/prometheus/alerts.test.yaml';

it('each alert has a rule test', () => {
  const { tests } = readYaml<{ readonly tests: readonly { readonly name: string }[] }>(RULE_TESTS);
  expect(tests.map(({ name }) => name)).toEqual(alerts.map(({ alert }) => alert));
});

suiteWith('promtool', 'an alert, judged by Prometheus', (promtool) => {
  it('is silent before its condition and fires after it', async () => {
    const { code, stdout, stderr } = await runCommand([promtool, 'test', 'rules', RULE_TESTS]);
    expect([code, stdout + stderr]).toEqual([0, expect.any(String)]);
  }, 120_000);
});

const FOLDER = 'docs/operating';
const pages = readdirSync(FOLDER).map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'));
const namedInPages = (pattern: RegExp): string[] =>
  pages.flatMap((page) => Array.from(page.matchAll(pattern), ([, name = '']) => name));

describe('docs/operating/', () => {
  it('leads from its index to each page', () => {
    const index = readFileSync(`${FOLDER}/index.md`, 'utf8');
    const others = readdirSync(FOLDER).filter((name) => name !== 'index.md');
    expect(others.filter((name) => !index.includes(`](${name})`))).toEqual([]);
  });

  it('names files that there are', () => {
    const paths = namedInPages(/`((?:deploy|tests)\/[\w./-]+)`/g);
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('names variables that there are', () => {
    const variables = namedInPages(/`([A-Z]+(?:_[A-Z]+)+)/g);
    expect(variables.length).toBeGreaterThan(10);
    expect(variables.filter((name) => !DOCUMENTED.has(name))).toEqual([]);
  });
});

/** A label matcher: `status=~"200|429"`. */
interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** A metric of a query, with its label matchers. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** Reads the metrics of a query and the labels of every `by` and `on`, with the grammar of Prometheus itself. */
function readQuery(text: string) {
  // Grafana puts a duration in its place.
  const query = text.replaceAll('$__rate_interval', '5m');
  const textOf = (node: ReturnType<typeof parser.parse>['topNode'] | null): string =>
    node ? query.slice(node.from, node.to) : '';
  const reading = { selectors: [] as Selector[], groupings: [] as string[], isSound: true };
  parser.parse(query).iterate({
    enter({ name, type, node }) {
      if (type.isError) reading.isSound = false;
      if (name === 'GroupingLabels') reading.groupings.push(...node.getChildren('LabelName').map(textOf));
      if (name !== 'VectorSelector') return;
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      reading.selectors.push({
        metric: textOf(node.getChild('Identifier')),
        matchers: matchers.map((matcher) => ({
          label: textOf(matcher.getChild('LabelName')),
          operator: textOf(matcher.getChild('MatchOp')),
          value: textOf(matcher.getChild('StringLiteral')).slice(1, -1),
        })),
      });
    },
  });
  return reading;
}

/** Whether a value is one that a matcher asks for. */
function matches({ operator, value }: Matcher, candidate: string): boolean {
  const isEqual = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(candidate) : candidate === value;
  return operator.startsWith('!') ? !isEqual : isEqual;
}

/** Labels that Prometheus adds, and the label of histogram buckets. */
const ADDED = ['job', 'instance', 'le'];

const queries = [
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
];

const named = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, name = '']) => name);

const codes = Object.keys(REFUSALS);
/** The possible values of our labels. */
const words: Readonly<Record<string, readonly string[]>> = {
  code: [...codes, 'none'],
  status: [200, 204, 304, ...Object.values(REFUSALS).map(({ status }) => status)].map(String),
  route: [...routes.map(({ id }) => id), 'none'],
  surface: routes.map(({ surface }) => surface),
  provider: routes.map(({ provider }) => provider),
  cluster: routes.map(({ cluster = '' }) => cluster),
  result: ['accepted', ...codes.filter((code) => code === 'sign_in_required' || code.startsWith('invalid_siwx_'))],
  state: ['settled', 'refused', 'unknown', 'unsent'],
  kind: ['settlement', 'grant', 'debit'],
  task: TASKS,
};

const ofProcess = new Scrape((await new Metrics([]).page(undefined)).text).types;
/** As a gateway gives them out, which tests/operations/metrics.test.ts shows. */
const ours = new Map(documentedMetrics.map(({ name, labels }) => [name, labels]));
const familyOf = (metric: string): string => metric.replace(/_(?:bucket|sum|count)$/, '');
const labelsOf = (metric: string): readonly string[] | undefined =>
  FOREIGN[metric] ?? ours.get(familyOf(metric)) ?? (ofProcess.has(metric) ? [] : undefined);

function faultsOf({ metric, matchers }: Selector): string[] {
  const labels = labelsOf(metric);
  if (!labels) return [`${metric} is not given out`];
  return matchers.flatMap((matcher) => {
    const { label, operator, value } = matcher;
    if (!labels.includes(label)) return [`${metric} has no label ${label}`];
    const isPossible = FOREIGN[metric] || words[label]?.some((word) => matches(matcher, word));
    return isPossible ? [] : [`no ${label} is ever ${operator} ${value}`];
  });
}

describe('every query of the dashboard and the alerts names existing metrics and labels', () => {
  it.each(queries)('%s: %s', (_, expression) => {
    const { isSound, selectors, groupings } = readQuery(expression);
    expect(isSound).toBe(true);
    expect(selectors.length).toBeGreaterThan(0);
    expect(selectors.flatMap(faultsOf)).toEqual([]);
    const known = selectors.flatMap(({ metric }) => labelsOf(metric) ?? []);
    expect(groupings.filter((label) => ![...known, ...ADDED].includes(label))).toEqual([]);
  });

  it('a wrong query is found', () => {
    const wrong =
      'sum by (rout) (rate(asset_gateway_requests_total{code="rate_limitted",kode="x"}[5m])) / asset_gateway_request_total';
    const { selectors, groupings } = readQuery(wrong);
    expect(selectors.flatMap(faultsOf)).toEqual([
      'no code is ever = rate_limitted',
      'asset_gateway_requests_total has no label kode',
      'asset_gateway_request_total is not given out',
    ]);
    expect(groupings).toEqual(['rout']);
    expect(readQuery('sum(rate(x[5m])').isSound).toBe(false);
  });
});

describe('a panel', () => {
  it('names labels that its query leaves', () => {
    const shown = [
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr, legendFormat }) => [expr, legendFormat] as const)),
      ...alerts.map(({ expr, annotations }) => [expr, annotations.summary] as const),
    ];
    const lost = shown.filter(([expr, text]) => {
      const { groupings } = readQuery(expr);
      return named(text).some((label) => ![...groupings, 'instance'].includes(label));
    });
    expect(lost).toEqual([]);
  });

  it.each([
    ['dashboard.json', panels],
    ['sales.json', salesPanels],
  ])('has panels in %s that do not overlap, each with a title and an id of its own', (_, all) => {
    const cells = all.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...all.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.filter(({ title }) => title === '')).toEqual([]);
  });

  it('is read from the source that the reader chooses', () => {
    const sources = [...panels, ...salesPanels].flatMap(({ targets = [] }) =>
      targets.map(({ datasource }) => datasource.uid),
    );
    expect(new Set(sources)).toEqual(new Set(['$datasource']));
  });

  it('draws every metric that docs/metrics.md describes as our own', () => {
    const shown = queries.flatMap(([, expr]) => readQuery(expr).selectors.map(({ metric }) => familyOf(metric)));
    expect([...ours.keys()].filter((name) => !shown.includes(name))).toEqual([]);
  });
});
