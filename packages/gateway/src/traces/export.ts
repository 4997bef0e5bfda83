import { setTimeout as pause } from 'node:timers/promises';
import { ExportResultCode } from '@opentelemetry/core';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracesConfig } from '../config/traces.ts';
import { agentFor } from '../pool.ts';

/** The most spans that wait for the collector. Others are dropped. */
const MAX_WAITING = 2_048;
const BATCH = 512;
const BATCH_MS = 1_000;
/** How long `close` waits for the collector, in milliseconds. */
const FLUSH_MS = 3_000;
const MAX_TEXT = 256;

const PARENT_BASED = 'parentbased_';

function samplerOf({ sampler, ratio }: TracesConfig): Sampler {
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[sampler.replace(PARENT_BASED, '')]?.() ?? new AlwaysOnSampler();
  return sampler.startsWith(PARENT_BASED) ? new ParentBasedSampler({ root }) : root;
}

async function openExporter({ url, headers, timeoutMs, protocol }: TracesConfig): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({
    url,
    headers,
    timeoutMillis: timeoutMs,
    httpAgentOptions: () => agentFor(new URL(url)),
  });
}

/** Returns a description of a failure, without the collector's texts, which may repeat what was sent. */
function failureText(error: Error | undefined): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code === 'number') return `status ${code}`;
  return typeof code === 'string' ? code : 'no answer';
}

/** Counts waiting and dropped spans. Reports when the collector fails and when it works again. */
class CountingExporter implements SpanExporter, SpanProcessor {
  notice: (message: string) => void = () => undefined;
  dropped = 0;
  readonly #exporter: SpanExporter;
  readonly #batches: BatchSpanProcessor;
  #waiting = 0;
  #droppedSince: number | undefined;

  constructor(exporter: SpanExporter, timeoutMs: number) {
    this.#exporter = exporter;
    const limits = { maxQueueSize: MAX_WAITING, maxExportBatchSize: BATCH, scheduledDelayMillis: BATCH_MS };
    this.#batches = new BatchSpanProcessor({ exporter: this, ...limits, exportTimeoutMillis: 2 * timeoutMs });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= MAX_WAITING) {
      this.dropped++;
      return;
    }
    this.#waiting++;
    this.#batches.onEnd(span);
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#exporter.export(spans, (result) => {
      this.#waiting -= spans.length;
      if (result.code === ExportResultCode.SUCCESS) this.#works();
      else this.#fails(spans.length, result.error);
      // This failure is counted and reported already. The processor would also print it.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  async shutdown(): Promise<void> {
    await this.#batches.forceFlush();
    await this.#exporter.shutdown();
  }

  #fails(count: number, error: Error | undefined): void {
    if (this.#droppedSince === undefined) {
      this.notice(`traces: the collector does not take spans (${failureText(error)}); they are dropped until it does`);
    }
    this.#droppedSince ??= this.dropped;
    this.dropped += count;
  }

  #works(): void {
    if (this.#droppedSince === undefined) return;
    this.notice(`traces: the collector takes spans again; ${this.dropped - this.#droppedSince} were dropped`);
    this.#droppedSince = undefined;
  }
}

/** Makes spans and exports them. */
export async function openExport(config: TracesConfig) {
  const delivery = new CountingExporter(await openExporter(config), config.timeoutMs);
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(config.attributes)),
    sampler: samplerOf(config),
    spanLimits: { attributeValueLengthLimit: MAX_TEXT },
    spanProcessors: [delivery],
  });
  return {
    tracer: provider.getTracer('asset-gateway'),
    delivery,
    /** Exports the remaining spans, within a bounded time. */
    close: () => Promise.race([provider.shutdown().catch(() => undefined), pause(FLUSH_MS, undefined, { ref: false })]),
  };
}
