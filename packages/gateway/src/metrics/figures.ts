import type { Route } from '@asset-gateway/protocol';
import type { MetricValueWithName, Registry } from 'prom-client';

/** Prefix of every metric name. */
export const PREFIX = 'asset_gateway_';

/** The labels of an upstream, and those of one of its keys. */
export const CHANNEL = ['provider', 'cluster', 'surface'] as const;
export const KEY = [...CHANNEL, 'place'] as const;

/** Identifies an upstream. `cluster` is undefined if it has none. */
export type ChannelName = Pick<Route, 'provider' | 'cluster' | 'surface'>;

export const channelOf = ({ provider, cluster, surface }: ChannelName) => ({
  provider,
  cluster: cluster ?? '',
  surface,
});

type Labels = Readonly<Record<string, string>>;

/** A value of a metric. */
export interface Sample {
  /** The name without our prefix. */
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
  /** Whether the value only grows while the process runs. */
  readonly isCounter: boolean;
}

/** Returns a value of the metric with this name, or of a part of a histogram. */
export function sampleOf(
  { value, labels, metricName }: MetricValueWithName<string>,
  name: string,
  type: unknown,
): Sample {
  const texts = Object.entries(labels).map(([label, text]) => [label, String(text ?? '')]);
  return {
    name: (metricName ?? name).replace(PREFIX, ''),
    labels: Object.fromEntries(texts),
    value,
    isCounter: type !== 'gauge',
  };
}

/** A filter on labels. */
export type LabelFilter = Readonly<Record<string, string | RegExp>>;

const isWanted = ({ labels }: Sample, wanted: LabelFilter): boolean =>
  Object.entries(wanted).every(([name, text]) => {
    const given = labels[name] ?? '';
    return typeof text === 'string' ? text === given : text.test(given);
  });

/** Returns the distinct values of these labels, joined. */
export const groupOf = (labels: Labels, names: readonly string[]): string =>
  [...new Set(names.map((name) => labels[name]))].filter(Boolean).join(' ');

/** The values of all metrics at one time, or the growth of counters in a span. */
export class Figures {
  readonly samples: readonly Sample[];
  readonly #byName = new Map<string, Sample[]>();

  constructor(samples: readonly Sample[]) {
    this.samples = samples;
    for (const sample of samples) {
      const others = this.#byName.get(sample.name);
      if (others) others.push(sample);
      else this.#byName.set(sample.name, [sample]);
    }
  }

  of(name: string, wanted: LabelFilter = {}): readonly Sample[] {
    return (this.#byName.get(name) ?? []).filter((sample) => isWanted(sample, wanted));
  }

  /** Returns the sum of the samples; undefined if there is none. */
  sum(name: string, wanted?: LabelFilter): number | undefined {
    return this.of(name, wanted).reduce<number | undefined>((sum, { value }) => (sum ?? 0) + value, undefined);
  }

  /** Returns the sums of the samples, grouped by the values of these labels. */
  by(name: string, labels: readonly string[], wanted?: LabelFilter): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const sample of this.of(name, wanted)) {
      const group = groupOf(sample.labels, labels);
      sums.set(group, (sums.get(group) ?? 0) + sample.value);
    }
    return sums;
  }

  /**
   * Returns a quantile of a histogram, computed as Prometheus does: values are spread evenly within a bucket, and the last bound is the
   * maximum. Undefined without values.
   */
  quantile(fraction: number, name: string, wanted?: LabelFilter): number | undefined {
    const sums = this.by(`${name}_bucket`, ['le'], wanted);
    const buckets = [...sums].map(([le, count]) => ({
      le: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
      count,
    }));
    buckets.sort((one, other) => one.le - other.le);
    const rank = fraction * (buckets.at(-1)?.count ?? 0);
    const index = rank > 0 ? buckets.findIndex(({ count }) => count >= rank) : -1;
    const bucket = buckets[index];
    if (!bucket) return undefined;
    const { le, count } = buckets[index - 1] ?? { le: 0, count: 0 };
    return Number.isFinite(bucket.le) ? le + ((bucket.le - le) * (rank - count)) / (bucket.count - count) : le;
  }
}

/** Returns the gateway's own values in a registry. */
export async function figuresOf(registry: Registry): Promise<Figures> {
  const own = registry.getMetricsAsArray().flatMap(({ name }) => (name.startsWith(PREFIX) ? [name] : []));
  const read = await Promise.all(own.map((name) => registry.getSingleMetric(name)?.get()));
  return new Figures(
    read.flatMap((metric) => metric?.values.map((value) => sampleOf(value, metric.name, metric.type)) ?? []),
  );
}
