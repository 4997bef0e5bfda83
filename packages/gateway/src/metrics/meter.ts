import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { LogLine } from '../stages/trail.ts';
import { PREFIX } from './figures.ts';

/** Metrics as a scraper gets them. */
export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Value = number | boolean;

/** The value of a metric without labels, or values by their labels; undefined: none now. */
type Reading = Value | undefined | readonly (readonly [labels: Readonly<Record<string, string | number>>, Value])[];
type Read = () => Reading | Promise<Reading>;

const valuesOf = (reading: Reading) =>
  typeof reading === 'object' ? reading : reading === undefined ? [] : [[{}, reading] as const];

/** Replaces the values of a metric by what is read. */
const collecting = (read: Read) =>
  async function (this: Counter | Gauge): Promise<void> {
    const values = valuesOf(await read());
    this.reset();
    // After a reset a metric without labels is 0.
    this.remove({});
    for (const [labels, value] of values) this.inc(labels, Number(value));
  };

/** Makes the gateway's metrics in one registry. */
export class Meter {
  readonly registry = new Registry();

  counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry] });
  }

  /** A counter that is read at each scrape. */
  total(name: string, help: string, labelNames: readonly string[], read: Read): void {
    new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry], collect: collecting(read) });
  }

  /** A gauge that is read at each scrape. */
  gauge(name: string, help: string, labelNames: readonly string[], read: Read): void {
    new Gauge({ name: PREFIX + name, help, labelNames, registers: [this.registry], collect: collecting(read) });
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets = SECONDS,
  ): Histogram<Label> {
    return new Histogram({ name: PREFIX + name, help, labelNames, buckets, registers: [this.registry] });
  }
}

type Durations = Histogram<'surface' | 'trace_id'>;

/** The duration of requests. Its exemplars name traces. */
export function durationsIn(registry: Registry): Durations {
  const histogram = new Histogram<'surface' | 'trace_id'>({
    name: `${PREFIX}request_duration_seconds`,
    help: 'Duration of requests.',
    labelNames: ['surface'],
    buckets: SECONDS,
    enableExemplars: true,
    // The constructor rejects a registry of the other format, which leaves exemplars out.
    registers: [],
  });
  registry.registerMetric(histogram as Metric);
  return histogram;
}

/** Counts a request, and its trace as an exemplar. */
export function observe(durations: Durations, { ms, traceId }: LogLine, surface: string): void {
  const exemplarLabels = traceId === undefined ? {} : { trace_id: traceId };
  durations.observe({ labels: { surface }, value: ms / 1_000, exemplarLabels });
}

/** A metric as the registry keeps it. */
interface KeptMetric {
  readonly name: string;
  readonly type: unknown;
  get(): Promise<{ readonly name: string }>;
}

/** A metric under the name of its family, which for a counter lacks the suffix. */
function familyOf(metric: KeptMetric): KeptMetric {
  const get = async () => {
    const data = await metric.get();
    return { ...data, name: data.name.replace(/_total$/, '') };
  };
  // The registry of a scrape renames this object instead of the metric.
  return { name: metric.name, type: metric.type, get };
}

/** The metrics in OpenMetrics, with exemplars. Changing the registry's own format would rename its counters for good. */
export async function openMetricsPage(registry: Registry): Promise<MetricsPage> {
  const scrape = new Registry();
  scrape.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  const metrics = registry.getMetricsAsArray() as unknown as KeptMetric[];
  for (const metric of metrics) scrape.registerMetric(familyOf(metric) as unknown as Metric);
  return { contentType: scrape.contentType, text: await scrape.metrics() };
}
