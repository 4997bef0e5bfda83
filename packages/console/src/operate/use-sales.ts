import { useEffect, useState } from 'preact/hooks';
import { MAX_ROWS } from './table.tsx';
import { authorizationOf } from './token.tsx';

const EVERY_MS = 60_000;
const GROUPINGS = ['day', 'route', 'wallet'] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** A group of sales, with the fields of docs/sales.md; money in millionths of a dollar. */
export type Sale = Readonly<Record<string, string | number | null>>;

/** The sales of a period, by each grouping. */
export interface Sales {
  readonly atMs: number;
  /** The start of the period, as ISO 8601. */
  readonly since: string;
  readonly isComplete: boolean;
  readonly by: Readonly<Record<Grouping, readonly Sale[]>>;
  /** The number of wallets that bought; `by` has the largest. */
  readonly wallets: number;
}

/** The latest sales, and why they could not be refreshed. */
export interface SalesState {
  readonly sales?: Sales;
  /** The status of a refusal; 0 if there was no answer. */
  readonly refused?: number;
}

export interface SalesQuery {
  readonly token: string;
  /** A span such as `24h`. */
  readonly since: string;
}

export const UNAUTHORIZED = 401;
export const FORBIDDEN = 403;

class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super();
    this.status = status;
  }
}

interface SalesResponse {
  readonly since: string;
  readonly isComplete: boolean;
  readonly sales: readonly Sale[];
  readonly count: number;
}

async function loadGrouped({ token, since }: SalesQuery, by: string, signal: AbortSignal): Promise<SalesResponse> {
  const headers = authorizationOf(token);
  if (!headers) throw new Refused(UNAUTHORIZED);
  const response = await fetch(`/sales?by=${by}&since=${since}`, { headers, signal });
  if (!response.ok) throw new Refused(response.status);
  const body = (await response.json()) as SalesResponse;
  if (!Array.isArray(body.sales)) throw new Refused(response.status);
  return body;
}

async function load(query: SalesQuery, signal: AbortSignal): Promise<Sales> {
  const [day, route, wallet] = await Promise.all([
    loadGrouped(query, 'day', signal),
    loadGrouped(query, 'route', signal),
    loadGrouped(query, `wallet&limit=${MAX_ROWS}`, signal),
  ]);
  return {
    atMs: Date.now(),
    since: day.since,
    isComplete: [day, route, wallet].every(({ isComplete }) => isComplete),
    by: { day: day.sales, route: route.sales, wallet: wallet.sales },
    wallets: Number(wallet.count) || 0,
  };
}

/** Loads sales at once, every minute and when `refreshes` changes, unless stopped. */
export function useSales({ token, since }: SalesQuery, isStopped: boolean, refreshes: number): SalesState {
  const [state, setState] = useState<SalesState>({});
  useEffect(() => {
    const stop = new AbortController();
    const refresh = () =>
      load({ token, since }, stop.signal).then(
        (sales) => stop.signal.aborted || setState({ sales }),
        (error: unknown) => {
          const refused = error instanceof Refused ? error.status : 0;
          const isLocked = refused === UNAUTHORIZED || refused === FORBIDDEN;
          if (!stop.signal.aborted) setState((before) => ({ ...(isLocked ? {} : before), refused }));
        },
      );
    if (isStopped) return undefined;
    refresh();
    const timer = setInterval(refresh, EVERY_MS);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [token, since, isStopped, refreshes]);
  return state;
}
