import { createMatcher, type HttpMethod, type Route, routes } from '@asset-gateway/protocol';
import { marketSnapshots, variantMarkets } from './answers/batch.ts';
import { assetDetail } from './answers/detail.ts';
import * as facts from './answers/facts.ts';
import type { RouteRequest } from './answers/request.ts';
import { curated, resolve, search } from './answers/search.ts';
import { markets, variantMarket, variants, variantTopMarkets } from './answers/variants.ts';

/** How the upstream answers a route: whether it needs a key, its cache rule and its answer. */
interface RouteAnswer {
  readonly answer: (request: RouteRequest) => unknown;
  readonly isOpen?: boolean;
  readonly maxAge?: number;
  readonly stale?: number;
}

/** A route of the upstream. */
export interface UpstreamRoute extends RouteAnswer {
  readonly httpMethod: HttpMethod;
  readonly path: string;
}

/** The answers by method. Other rows of the table get their own example. */
const ANSWERS: Readonly<Record<string, RouteAnswer>> = {
  health: { answer: () => ({ ok: true }), isOpen: true },
  search: { answer: search, maxAge: 120 },
  resolve: { answer: resolve, maxAge: 120 },
  curated: { answer: curated, maxAge: 30, stale: 60 },
  marketSnapshots: { answer: marketSnapshots, maxAge: 60 },
  variantMarkets: { answer: variantMarkets, maxAge: 60 },
  riskSummaryByMint: { answer: facts.riskSummaryByMint },
  assetDetail: { answer: assetDetail, maxAge: 30 },
  variants: { answer: variants, maxAge: 30 },
  variantTopMarkets: { answer: variantTopMarkets, maxAge: 60 },
  variantMarket: { answer: variantMarket, maxAge: 60 },
  markets: { answer: markets, maxAge: 60 },
  ohlcv: { answer: facts.ohlcv, maxAge: 60, stale: 300 },
  priceChart: { answer: facts.priceChart, maxAge: 60, stale: 300 },
  profile: { answer: facts.profile, maxAge: 300, stale: 600 },
  tickers: { answer: facts.tickers, maxAge: 300, stale: 600 },
  riskSummary: { answer: facts.riskSummary },
  riskDetails: { answer: facts.riskDetails },
  description: { answer: facts.description, maxAge: 300, stale: 600 },
};

const upstreamRoute = ({ method, httpMethod, upstream, result }: Route): UpstreamRoute => ({
  httpMethod,
  path: upstream.path,
  ...(ANSWERS[method] ?? { answer: () => result.example }),
});

/** Finds the upstream's route of a raw path, and the decoded asset in it. Paths are not normalised. */
export function upstreamOf(
  rows: readonly Route[],
): (path: string) => { route: UpstreamRoute; reference: string } | undefined {
  const match = createMatcher(rows.filter(({ surface }) => surface === 'tokens').map(upstreamRoute));
  return (path) => {
    const found = match(path);
    if (found === undefined || found === 'malformed') return undefined;
    const [route] = found.rows.values();
    return route && { route, reference: found.parameters.assetId ?? '' };
  };
}

export const matchUpstream = upstreamOf(routes);

/** The Cache-Control of an answer. */
export function cacheControlOf({ maxAge, stale }: UpstreamRoute): string {
  const whileStale = stale === undefined ? '' : `, stale-while-revalidate=${stale}`;
  return maxAge === undefined ? 'no-store' : `private, max-age=${maxAge}${whileStale}`;
}
