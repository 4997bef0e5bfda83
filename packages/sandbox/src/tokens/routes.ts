import { marketSnapshots, riskSummaryByMint, variantMarkets } from './answers/batch.ts';
import { curated } from './answers/curated.ts';
import { assetDetail } from './answers/detail.ts';
import { description, ohlcv, priceChart, profile, riskDetails, riskSummary, tickers } from './answers/facts.ts';
import type { RouteRequest } from './answers/request.ts';
import { resolve, search } from './answers/search.ts';
import { markets, variantMarket, variants, variantTopMarkets } from './answers/variants.ts';

/** A route of the upstream: whether it needs a key, its cache rule and its answer. */
export interface UpstreamRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly open: boolean;
  readonly cacheControl: string;
  readonly answer: (request: RouteRequest) => unknown;
}

interface RouteOptions {
  readonly open?: boolean;
  readonly maxAge?: number;
  readonly stale?: number;
}

function row(
  endpoint: string,
  answer: UpstreamRoute['answer'],
  { open = false, maxAge, stale }: RouteOptions = {},
): UpstreamRoute {
  const [method, path = ''] = endpoint.split(' ');
  const whileStale = stale === undefined ? '' : `, stale-while-revalidate=${stale}`;
  const cacheControl = maxAge === undefined ? 'no-store' : `private, max-age=${maxAge}${whileStale}`;
  return { method: method === 'POST' ? 'POST' : 'GET', path, open, cacheControl, answer };
}

/** The 19 routes of the upstream; fixed paths come before paths with an asset. */
export const UPSTREAM_ROUTES: readonly UpstreamRoute[] = [
  row('GET /v1/health', () => ({ ok: true }), { open: true }),
  row('GET /v1/assets/search', search, { maxAge: 120 }),
  row('GET /v1/assets/resolve', resolve, { maxAge: 120 }),
  row('GET /v1/assets/curated', curated, { maxAge: 30, stale: 60 }),
  row('POST /v1/assets/market-snapshots', marketSnapshots, { maxAge: 60 }),
  row('GET /v1/assets/variant-markets', variantMarkets, { maxAge: 60 }),
  row('GET /v1/assets/risk-summary', riskSummaryByMint),
  row('GET /v1/assets/:assetId', assetDetail, { maxAge: 30 }),
  row('GET /v1/assets/:assetId/variants', variants, { maxAge: 30 }),
  row('GET /v1/assets/:assetId/variant-top-markets', variantTopMarkets, { maxAge: 60 }),
  row('GET /v1/assets/:assetId/variant-market', variantMarket, { maxAge: 60 }),
  row('GET /v1/assets/:assetId/markets', markets, { maxAge: 60 }),
  row('GET /v1/assets/:assetId/ohlcv', ohlcv, { maxAge: 60, stale: 300 }),
  row('GET /v1/assets/:assetId/price-chart', priceChart, { maxAge: 60, stale: 300 }),
  row('GET /v1/assets/:assetId/profile', profile, { maxAge: 300, stale: 600 }),
  row('GET /v1/assets/:assetId/tickers', tickers, { maxAge: 300, stale: 600 }),
  row('GET /v1/assets/:assetId/risk-summary', riskSummary),
  row('GET /v1/assets/:assetId/risk-details', riskDetails),
  row('GET /v1/assets/:assetId/description', description, { maxAge: 300, stale: 600 }),
];

const PATTERNS = UPSTREAM_ROUTES.map((route) => ({ route, segments: route.path.split('/') }));

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

/** The route of a raw path and the decoded asset in it; paths are not normalised. */
export function matchUpstream(path: string): { route: UpstreamRoute; reference: string } | undefined {
  const parts = path.split('/').map(decoded);
  if (parts.slice(1).some((part) => part === '' || part === '.' || part === '..')) return undefined;
  const found = PATTERNS.find(
    ({ segments }) =>
      segments.length === parts.length &&
      segments.every((segment, index) => segment === ':assetId' || segment === parts[index]),
  );
  return found && { route: found.route, reference: parts[3] ?? '' };
}
