import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { PREFIX } from './figures.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type MetricValue = number | boolean;

/** The value of a metric without labels, or values with their labels. Undefined if there is none now. */
type MetricReading =
  | MetricValue
  | undefined
  | readonly (readonly [labels: Readonly<Record<string, string | number>>, MetricValue])[];
type Read = () => MetricReading | Promise<MetricReading>;

const valuesOf = (reading: MetricReading) =>
  typeof reading === 'object' ? reading : reading === undefined ? [] : [[{}, reading] as const];

/** Returns a function that replaces a metric's values by those that `read` returns. */
const collecting = (read: Read) =>
  async function (this: Counter | Gauge): Promise<void> {
    const values = valuesOf(await read());
    this.reset();
    // After its reset, a metric without labels has the value 0, which is removed here.
    this.remove({});
    for (const [labels, value] of values) this.inc(labels, Number(value));
  };

/** Makes the gateway's metrics in one registry. */
export class Meter {
  readonly registry = new Registry();

  /** Makes a counter with one label. It starts at 0 for each of these values. */
  counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    values: readonly string[] = [],
  ) {
    const counter = new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry] });
    for (const value of values) counter.labels(value).inc(0);
    return counter;
  }

  /** Makes a counter whose value is read at each scrape. */
  total(name: string, help: string, labelNames: readonly string[], read: Read): void {
    new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry], collect: collecting(read) });
  }

  /** Makes a gauge whose value is read at each scrape. */
  gauge(name: string, help: string, labelNames: readonly string[], read: Read): void {
    new Gauge({ name: PREFIX + name, help, labelNames, registers: [this.registry], collect: collecting(read) });
  }

  histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[], buckets = SECONDS) {
    return new Histogram({ name: PREFIX + name, help, labelNames, buckets, registers: [this.registry] });
  }
}

/** Makes the histogram of the durations of requests. Its exemplars name traces. */
export function durationsIn(registry: Registry) {
  const histogram = new Histogram<'surface' | 'trace_id'>({
    name: `${PREFIX}request_duration_seconds`,
    help: 'Duration of requests.',
    labelNames: ['surface'],
    buckets: SECONDS,
    enableExemplars: true,
    // Registered below, because the constructor rejects a registry whose format has no exemplars.
    registers: [],
  });
  registry.registerMetric(histogram as Metric);
  return histogram;
}

/**
 * Returns the metrics in OpenMetrics format, with exemplars. The registry keeps its own format, because another one would rename its
 * counters for good.
 */
export async function openMetricsPage(registry: Registry) {
  const scrape = new Registry();
  scrape.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  for (const { name, type } of registry.getMetricsAsArray()) {
    // OpenMetrics drops the suffix from a counter's name. The scrape's registry renames this copy instead of the
    // metric.
    const get = async () => ({ ...(await registry.getSingleMetric(name)?.get()), name: name.replace(/_total$/, '') });
    scrape.registerMetric({ name, type, get } as unknown as Metric);
  }
  return { contentType: scrape.contentType, text: await scrape.metrics() };
}
