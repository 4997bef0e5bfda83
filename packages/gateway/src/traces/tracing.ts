import type { Route } from '@asset-gateway/protocol';
import type { Inbound, Outbound } from '../call.ts';
import type { LogLine } from '../stages/trail.ts';
import type { KeyedUpstream } from '../upstreams/upstream.ts';

/** A method's span name, or a function that makes it from the arguments. */
type SpanName<Method> =
  | string
  | (Method extends (...parts: infer Parts) => unknown ? (...parts: Parts) => string : never);

/** Methods of an object that run in spans. Each returns a promise. */
export type SpanNames<T> = { readonly [Name in keyof T]?: SpanName<T[Name]> };

type Handle = (inbound: Inbound) => Promise<Outbound>;

/** Wraps parts of a gateway so that their work becomes spans. */
export interface Tracing {
  /** Returns the gateway with a span for each request. */
  handling(handle: Handle): Handle;
  /** Returns a log that adds each request's facts to its span, and the span's trace id to the log line. */
  logging(write: (line: LogLine) => void): (line: LogLine) => void;
  /** Returns the same object with these methods in spans while a request is traced. */
  spanned<T extends object>(target: T, names: SpanNames<T>): T;
  /** Returns an upstream with a span for each request that it writes. */
  calling(upstream: KeyedUpstream, channel: Pick<Route, 'provider' | 'surface' | 'cluster'>): KeyedUpstream;
  /** Returns how many spans were not exported; undefined if nothing is traced. */
  dropped?(): number;
  /** Reports when the collector fails and when it works again. */
  connect(notice: (message: string) => void): void;
  /** Exports remaining spans within a bounded time. */
  close(): Promise<void>;
}

/** Traces nothing. It leaves every part as it is. */
export const untraced: Tracing = {
  handling: (handle) => handle,
  logging: (write) => write,
  spanned: (target) => target,
  calling: (upstream) => upstream,
  connect: () => undefined,
  close: async () => undefined,
};
