import type { Route } from '@asset-gateway/protocol';
import type { Inbound, Outbound } from '../call.ts';
import type { LogLine } from '../stages/trail.ts';
import type { KeyedUpstream } from '../upstreams/upstream.ts';

/** The span of a method: its name, or a function that makes the name from the arguments. */
type SpanName<Method> =
  | string
  | (Method extends (...parts: infer Parts) => unknown ? (...parts: Parts) => string : never);

/** The methods of an object that run in spans. Each returns a promise. */
export type SpanNames<T> = { readonly [Name in keyof T]?: SpanName<T[Name]> };

type Handle = (inbound: Inbound) => Promise<Outbound>;

/** Wraps the parts of a gateway so that what they do becomes spans. */
export interface Tracing {
  /** The gateway, with one span for each request. */
  handling(handle: Handle): Handle;
  /** Adds facts of each request to its span, and the trace id to its line. */
  logging(write: (line: LogLine) => void): (line: LogLine) => void;
  /** The same object, whose named methods run in spans while a request is traced. */
  spanned<T extends object>(target: T, names: SpanNames<T>): T;
  /** An upstream with a span for each request that it writes. */
  calling(upstream: KeyedUpstream, channel: Pick<Route, 'provider' | 'surface' | 'cluster'>): KeyedUpstream;
  /** Spans that were not exported; undefined if nothing is traced. */
  dropped?(): number;
  /** Reports when the collector fails and when it works again. */
  connect(notice: (message: string) => void): void;
  /** Exports what is left, within a bounded time. */
  close(): Promise<void>;
}

/** Nothing is traced: every part stays as it is. */
export const untraced: Tracing = {
  handling: (handle) => handle,
  logging: (write) => write,
  spanned: (target) => target,
  calling: (upstream) => upstream,
  connect: () => undefined,
  close: async () => undefined,
};
