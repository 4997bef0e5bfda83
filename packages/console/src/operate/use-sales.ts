import { useEffect, useState } from 'preact/hooks';
import { MOST_ROWS } from './table.tsx';

const EVERY_MS = 60_000;
const GROUPINGS = ['day', 'route', 'wallet'] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** What a group of sales comes to, as docs/sales.md names it; money in millionths of a dollar. */
export type Sale = Readonly<Record<string, string | number | null>>;

/** What was sold, by each grouping. */
export interface Sold {
  readonly atMs: number;
  /** From when on, as ISO 8601. */
  readonly since: string;
  readonly isComplete: boolean;
  readonly by: Readonly<Record<Grouping, readonly Sale[]>>;
  /** How many wallets have bought; those that did most are in `by`. */
  readonly wallets: number;
}

/** What has become of asking for sales: the last answer, and why there is no newer one. */
export interface Sales {
  readonly sold?: Sold;
  /** The status of a refusal; 0 where nobody answered. */
  readonly refused?: number;
}

/** What was asked for. */
export interface SalesQuery {
  readonly token: string;
  /** A span such as `24h`. */
  readonly since: string;
}

/** What a header may hold. */
const SENDABLE = /^[\x20-\x7e]*$/;
export const UNAUTHORIZED = 401;
export const FORBIDDEN = 403;

class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super();
    this.status = status;
  }
}

interface Told {
  readonly since: string;
  readonly isComplete: boolean;
  readonly sales: readonly Sale[];
  readonly count: number;
}

async function askSales({ token, since }: SalesQuery, by: string, signal: AbortSignal): Promise<Told> {
  if (!SENDABLE.test(token)) throw new Refused(UNAUTHORIZED);
  const headers: HeadersInit = token === '' ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(`/sales?by=${by}&since=${since}`, { headers, signal });
  if (!response.ok) throw new Refused(response.status);
  const told = (await response.json()) as Told;
  if (!Array.isArray(told.sales)) throw new Refused(response.status);
  return told;
}

async function askAll(query: SalesQuery, signal: AbortSignal): Promise<Sold> {
  const [day, route, wallet] = await Promise.all([
    askSales(query, 'day', signal),
    askSales(query, 'route', signal),
    askSales(query, `wallet&limit=${MOST_ROWS}`, signal),
  ]);
  return {
    atMs: Date.now(),
    since: day.since,
    isComplete: [day, route, wallet].every(({ isComplete }) => isComplete),
    by: { day: day.sales, route: route.sales, wallet: wallet.sales },
    wallets: Number(wallet.count) || 0,
  };
}

/** Asks what was sold: at once, once a minute, and whenever `times` changes; not while it is stopped. */
export function useSales({ token, since }: SalesQuery, isStopped: boolean, times: number): Sales {
  const [sales, setSales] = useState<Sales>({});
  useEffect(() => {
    const stop = new AbortController();
    const ask = () =>
      askAll({ token, since }, stop.signal).then(
        (sold) => stop.signal.aborted || setSales({ sold }),
        (error: unknown) => {
          const refused = error instanceof Refused ? error.status : 0;
          const isShut = refused === UNAUTHORIZED || refused === FORBIDDEN;
          if (!stop.signal.aborted) setSales((before) => ({ ...(isShut ? {} : before), refused }));
        },
      );
    if (isStopped) return undefined;
    ask();
    const timer = setInterval(ask, EVERY_MS);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [token, since, isStopped, times]);
  return sales;
}
