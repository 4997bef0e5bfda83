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
  /** The gateway with a span per request. */
  handling(handle: Handle): Handle;
  /** Adds each request's facts to its span, and its trace id to its log line. */
  logging(write: (line: LogLine) => void): (line: LogLine) => void;
  /** The same object. While a request is traced, the named methods run in spans. */
  spanned<T extends object>(target: T, names: SpanNames<T>): T;
  /** An upstream with a span per written request. */
  calling(upstream: KeyedUpstream, channel: Pick<Route, 'provider' | 'surface' | 'cluster'>): KeyedUpstream;
  /** How many spans were not exported; undefined if nothing is traced. */
  dropped?(): number;
  /** Reports when the collector fails and when it works again. */
  connect(notice: (message: string) => void): void;
  /** Exports remaining spans within a bounded time. */
  close(): Promise<void>;
}

/** Traces nothing. Every part stays as it is. */
export const untraced: Tracing = {
  handling: (handle) => handle,
  logging: (write) => write,
  spanned: (target) => target,
  calling: (upstream) => upstream,
  connect: () => undefined,
  close: async () => undefined,
};
