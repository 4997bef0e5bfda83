import { readFileSync } from 'node:fs';
import { drainMs } from '../../packages/gateway/src/times.ts';
import { readYaml } from '../kit/yaml.ts';

/** A rule of the alerts' file. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly action: string };
}

/** A panel of a dashboard; a row has no queries. */
export interface Panel<Target> {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly (Target & { readonly datasource: { readonly uid: string } })[];
}

export const ALERTS_FILE = 'deploy/prometheus/alerts.yaml';
const { groups } = readYaml<{ readonly groups: readonly { readonly rules: readonly Alert[] }[] }>(ALERTS_FILE);

export const alerts: readonly Alert[] = groups.flatMap(({ rules }) => rules);

/** The metrics that docs/metrics.md lists. */
export const documentedMetrics = [
  ...readFileSync('docs/metrics.md', 'utf8').matchAll(/^- `(\w+)`: (\w+)(?: by ((?:`\w+`(?:, )?)+))?\. \S.*$/gm),
].map(([, name = '', type = '', labels = '']) => {
  return { name, type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) };
});

/** Metrics that other exporters give out, with the labels that alerts read. */
export const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  kubelet_volume_stats_available_bytes: ['namespace', 'persistentvolumeclaim'],
  kubelet_volume_stats_capacity_bytes: ['namespace', 'persistentvolumeclaim'],
  node_filesystem_avail_bytes: ['fstype', 'mountpoint'],
  node_filesystem_size_bytes: ['fstype', 'mountpoint'],
};

const panelsOf = <Target>(file: string): readonly Panel<Target>[] =>
  JSON.parse(readFileSync(`deploy/grafana/${file}`, 'utf8')).panels;

export const panels = panelsOf<{ readonly expr: string; readonly legendFormat: string }>('dashboard.json');
export const salesPanels = panelsOf<{ readonly rawSql: string }>('sales.json');

/** The variables that docs/configuration.md lists. */
export const DOCUMENTED: ReadonlySet<string> = new Set(
  readFileSync('docs/configuration.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- `'))
    .flatMap((line) => /^- ((?:`[A-Z_]+`(?:, )?)+)/.exec(line)?.[1]?.match(/[A-Z][A-Z_]+/g) ?? []),
);

/** How long a node with the default time-outs drains. */
export const DRAIN_SECONDS = drainMs(10_000) / 1_000;
