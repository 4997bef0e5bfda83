import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Cluster } from '@asset-gateway/protocol';
import { type FaultScope, type Resettable, record } from '../knobs.ts';

/** A received request, before any check. */
export interface Arrival {
  /** `performance.now()` in milliseconds. */
  readonly at: number;
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Records a request and its body. */
export function recordArrival(arrivals: Arrival[], request: IncomingMessage, body: string): Arrival {
  const { method = '', url: target = '', headers } = request;
  return record(arrivals, { at: performance.now(), method, target, headers: { ...headers }, body });
}

/** Faults of a provider; an unset knob is off. */
export interface ProviderFaultKnobs extends FaultScope<Arrival> {
  /** Delay the answer, in milliseconds. */
  delayMs?: number | undefined;
  /** Never answer. */
  hang?: boolean | undefined;
  /** Reset the connection without an answer. */
  resetConnection?: boolean | undefined;
  /** Answer this status with the endpoint's error JSON. */
  status?: number | undefined;
  /** The Retry-After header for `status`. */
  retryAfter?: string | undefined;
  /** The error message for `status`. */
  message?: string | undefined;
  /** Answer 200 with exactly this text. */
  body?: string | undefined;
  /** Answer 200 with this JSON-RPC error. */
  jsonRpcError?: { readonly code: number; readonly message: string } | undefined;
  /** Answer a JSON-RPC call under another id. */
  wrongId?: boolean | undefined;
  /** Answer a JSON-RPC call with neither result nor error. */
  missingResult?: boolean | undefined;
  /** Send the full Content-Length and this fraction (0 to 1) of the body, then close the connection. */
  truncate?: number | undefined;
}

/** The knobs of a running provider. */
export type ProviderFaults = Resettable<ProviderFaultKnobs>;

/** The endpoint of a request: JSON-RPC of a provider, or the wallet API. */
export type Endpoint =
  | { readonly kind: 'rpc'; readonly provider: 'helius' | 'alchemy'; readonly cluster: Cluster; readonly key: string }
  | {
      readonly kind: 'wallet';
      readonly segments: readonly string[];
      readonly query: URLSearchParams;
      readonly key: string;
    };

const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The endpoint of a request, if any. */
export function endpointOf({ target, headers }: Arrival): Endpoint | undefined {
  const [path = '', ...rest] = target.split('?');
  const query = new URLSearchParams(rest.join('?'));
  const header = headers['x-api-key'];
  const key = query.get('api-key') ?? (typeof header === 'string' ? header : '');
  const segments = path.split('/').slice(1).map(decoded);
  if (segments[0] === 'v1' && segments[1] === 'wallet') {
    return { kind: 'wallet', segments: segments.slice(2), query, key };
  }
  const named = CLUSTERS.find((cluster) => cluster === segments[0]);
  const [version, alchemyKey, ...more] = named ? segments.slice(1) : segments;
  if (version === 'v2' && more.length === 0) {
    return { kind: 'rpc', provider: 'alchemy', cluster: named ?? 'mainnet', key: alchemyKey ?? '' };
  }
  const isRoot = named !== undefined && (version === undefined || (version === '' && alchemyKey === undefined));
  return isRoot ? { kind: 'rpc', provider: 'helius', cluster: named, key } : undefined;
}
