import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A rule of the alerts' file. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

/** A panel of the dashboard; a row has no queries. */
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly {
    readonly expr: string;
    readonly legendFormat: string;
    readonly datasource: { readonly uid: string };
  }[];
}

export const ALERTS_FILE = 'deploy/prometheus/alerts.yaml';
const { groups } = parse(readFileSync(ALERTS_FILE, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
};

export const alerts: readonly Alert[] = groups.flatMap(({ rules }) => rules);

const dashboard = JSON.parse(readFileSync('deploy/grafana/dashboard.json', 'utf8')) as {
  readonly panels: readonly Panel[];
};

export const { panels } = dashboard;
