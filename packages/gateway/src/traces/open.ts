import { AsyncLocalStorage } from 'node:async_hooks';
import { REFUSALS, Refusal, type Route } from '@asset-gateway/protocol';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Inbound, KeyedCall, Outbound, Slot } from '../call.ts';
import type { TracesConfig } from '../config/traces.ts';
import type { LogLine } from '../stages/trail.ts';
import type { KeyedUpstream } from '../upstreams/upstream.ts';
import { openExport } from './export.ts';
import type { SpanNames, Tracing } from './tracing.ts';

const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'];
/** The longest `traceparent` that is read. It has 55 characters, and later versions may append some. */
const MAX_TRACEPARENT = 128;
const SERVER_ERROR = 500;

const propagator = new W3CTraceContextPropagator();
/** Reads only `traceparent`, because `tracestate` would carry the client's text to the collector. */
const getter = {
  keys: () => ['traceparent'],
  get({ headers }: Inbound, name: string) {
    const text = name === 'traceparent' ? headers[name] : undefined;
    return typeof text === 'string' && text.length <= MAX_TRACEPARENT ? text : undefined;
  },
};

/** Marks a span as failed with a code, never a message. The gateway has not failed if it refuses a client. */
function fail(span: Span, error: unknown): void {
  const isRefusal = error instanceof Refusal;
  span.setAttribute('error.type', isRefusal ? error.code : ((error as Error)?.name ?? 'error'));
  if (!isRefusal || REFUSALS[error.code].status >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
}

async function ending<T>(span: Span, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the facts of a log line that its span also has. */
function factsOf({ route, client, path, error, status, cache }: LogLine, template: string | undefined) {
  return {
    'url.path': path,
    'client.address': client,
    ...(template !== undefined && { 'http.route': template }),
    ...(route !== undefined && { 'asset_gateway.route': route }),
    ...(error !== undefined && { 'asset_gateway.error_code': error }),
    ...(error !== undefined && status >= SERVER_ERROR && { 'error.type': error }),
    ...(cache !== undefined && { 'asset_gateway.cache': cache }),
  };
}

type Export = Awaited<ReturnType<typeof openExport>>;
type AsyncMethod = (...parts: unknown[]) => Promise<unknown>;

/** Traces with OpenTelemetry. Nothing is global, so that a process can trace several gateways. */
class OpenTelemetryTracing implements Tracing {
  /** The templates of paths, by row id. */
  readonly #paths: ReadonlyMap<string, string>;
  readonly #export: Export;
  readonly #reachesUpstreams: boolean;
  /** The context of the present request. */
  readonly #current = new AsyncLocalStorage<Context>();

  constructor(opened: Export, reachesUpstreams: boolean, rows: readonly Route[]) {
    this.#paths = new Map(rows.map(({ id, path }) => [id, path]));
    this.#export = opened;
    this.#reachesUpstreams = reachesUpstreams;
  }

  connect(notice: (message: string) => void): void {
    this.#export.delivery.notice = notice;
  }

  dropped(): number {
    return this.#export.delivery.dropped;
  }

  async close(): Promise<void> {
    await this.#export.close();
  }

  handling(handle: (inbound: Inbound) => Promise<Outbound>) {
    return (inbound: Inbound): Promise<Outbound> => {
      const parent = propagator.extract(ROOT_CONTEXT, inbound, getter);
      const method = METHODS.includes(inbound.method) ? inbound.method : '_OTHER';
      const attributes = { 'http.request.method': method };
      const span = this.#export.tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
      const answer = async () => {
        const outbound = await handle(inbound);
        span.setAttribute('http.response.status_code', outbound.status);
        if (outbound.status >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
        return outbound;
      };
      return this.#current.run(trace.setSpan(parent, span), () => ending(span, answer));
    };
  }

  logging(write: (line: LogLine) => void) {
    return (line: LogLine): void => {
      const span = trace.getSpan(this.#current.getStore() ?? ROOT_CONTEXT);
      if (!span?.isRecording()) {
        write(line);
        return;
      }
      const facts = factsOf(line, this.#paths.get(line.route ?? ''));
      span.setAttributes(facts);
      if (facts['http.route'] !== undefined) span.updateName(`${line.method} ${facts['http.route']}`);
      write({ ...line, traceId: span.spanContext().traceId });
    };
  }

  spanned<T extends object>(target: T, names: SpanNames<T>): T {
    const wrapped = new Map<PropertyKey, unknown>();
    const wrap = (key: PropertyKey, method: AsyncMethod): AsyncMethod => {
      const name: unknown = names[key as keyof T];
      if (name === undefined) return method.bind(target);
      return (...parts) => {
        const text = typeof name === 'function' ? String(name(...parts)) : String(name);
        return this.#within(text, () => method.apply(target, parts));
      };
    };
    return new Proxy(target, {
      get(_, key) {
        // Read it from the target itself, because a proxy has no private fields.
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== 'function') return member;
        const known = wrapped.get(key) ?? wrap(key, member as AsyncMethod);
        wrapped.set(key, known);
        return known;
      },
    });
  }

  calling(
    upstream: KeyedUpstream,
    { provider, surface, cluster }: Pick<Route, 'provider' | 'surface' | 'cluster'>,
  ): KeyedUpstream {
    const channel = { 'asset_gateway.provider': provider, 'asset_gateway.surface': surface };
    const channelAttributes = { ...channel, ...(cluster !== undefined && { 'asset_gateway.cluster': cluster }) };
    return {
      answer: async (call: KeyedCall) => {
        const parent = this.#current.getStore() ?? ROOT_CONTEXT;
        const spans: Span[] = [];
        const takeSlot = async (): Promise<Slot> => {
          const slot = await call.takeSlot();
          const attributes = { ...channelAttributes, 'http.request.method': call.route.httpMethod };
          const span = this.#export.tracer.startSpan('upstream call', { kind: SpanKind.CLIENT, attributes }, parent);
          spans.push(span);
          return this.#reachesUpstreams ? carrying(slot, trace.setSpan(parent, span)) : slot;
        };
        try {
          return await upstream.answer({ ...call, takeSlot });
        } catch (error) {
          for (const span of spans) fail(span, error);
          throw error;
        } finally {
          for (const span of spans) span.end();
        }
      },
    };
  }

  /** Runs a task in a span if a request is traced. Background work has no request. */
  #within<T>(name: string, task: () => Promise<T>): Promise<T> {
    const parent = this.#current.getStore();
    if (!parent) return task();
    const span = this.#export.tracer.startSpan(name, {}, parent);
    return this.#current.run(trace.setSpan(parent, span), () => ending(span, task));
  }
}

/** Returns a slot that gives its upstream request a span's name. */
function carrying(slot: Slot, context: Context): Slot {
  const headers: Record<string, string> = {};
  propagator.inject(context, headers, { set: (carrier, name, value) => Object.assign(carrier, { [name]: value }) });
  return { ...slot, headers };
}

/** Traces requests, and exports their spans to a collector. */
export async function openTracing(config: TracesConfig, rows: readonly Route[]): Promise<Tracing> {
  return new OpenTelemetryTracing(await openExport(config), config.reachesUpstreams, rows);
}
