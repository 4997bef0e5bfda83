import { catalogRow, dollars, everyRoute, Refusal, type Route, receiptRoutes } from '@asset-gateway/protocol';
import { catalog } from '../describe/catalog.ts';
import { llmsText } from '../describe/llms.ts';
import { openApi } from '../describe/openapi.ts';
import { document, ownRoute, type Service, wellKnown } from '../describe/service.ts';
import type { ExactSetup } from '../payments/open.ts';
import type { OwnAnswer } from '../upstreams/upstream.ts';
import type { Channels } from './channels.ts';
import type { Foundation } from './dependencies.ts';

/** The service of a configuration. A route is enabled if it has an upstream and, if it is paid, a payee on its cluster. */
export function serviceOf({ config, receipts }: Foundation, channels: Channels, exact?: ExactSetup): Service {
  const hasCredit = config.credit !== undefined && exact !== undefined;
  const titles = new Map(config.apis.map(({ name, entry }) => [name, entry.title]));
  const enabled = (route: Route): Route[] => {
    if (config.disabled.has(route.id)) return [];
    const isSold =
      route.access !== 'exact' || (route.cluster !== undefined && exact?.clusters.has(route.cluster) === true);
    if (receiptRoutes.includes(route)) return receipts ? [route] : [];
    if (route.surface === 'credit') return hasCredit && isSold ? [route] : [];
    const isServed = route.provider === 'gateway' || (isSold && channels.get(route) !== undefined);
    if (!isServed) return [];
    if (route.id === 'system.catalog') return [catalogRow([...titles.keys()], hasCredit)];
    return [hasCredit && route.access === 'exact' ? { ...route, credit: 'accepted' } : route];
  };
  const [cheapest = 0] = config.credit?.bundlesMicros ?? [];
  return {
    name: config.serviceName,
    routes: [...everyRoute, ...config.apis.flatMap(({ rows }) => rows)].flatMap(enabled),
    titles,
    priceUsd: (route) => dollars(route.credit === 'sold' ? cheapest : (exact?.priceOf(route) ?? 0)),
    creditPriceUsd: (route) => (route.credit === 'accepted' && exact ? dollars(exact.listPriceOf(route)) : undefined),
    hasShares: config.fairShares,
    hasBlocked: config.blocked !== undefined,
  };
}

/** Makes each value on the first call and keeps it. There are few keys. */
function kept<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

const READY = { json: JSON.stringify({ ok: true, status: 'ready' }) };

/** The gateway's own answers by the route's method: documents about the enabled routes, made for each origin. */
export function ownAnswers(
  service: Service,
  { originOf, receipts, notReadyCode }: Foundation,
): Readonly<Record<string, OwnAnswer>> {
  const answerOf = (method: string, text: string) => document(text, ownRoute(service, method).maxAgeSeconds ?? 0);
  const catalogOf = kept((provider: string | undefined) => {
    return answerOf('catalog', JSON.stringify(catalog(service, provider)));
  });
  const atOrigin = (method: string, view: (service: Service, origin: string) => string): OwnAnswer => {
    const viewFrom = kept((origin: string) => answerOf(method, view(service, origin)));
    return ({ arrival }) => viewFrom(originOf(arrival));
  };
  const liveness = { json: JSON.stringify({ ok: true, service: service.name, status: 'healthy' }) };
  return {
    liveness: () => liveness,
    readiness() {
      const code = notReadyCode();
      if (code) throw new Refusal(code, { reason: 'not ready' });
      return READY;
    },
    catalog: ({ input }) => catalogOf(input.query.provider === undefined ? undefined : String(input.query.provider)),
    openapi: atOrigin('openapi', (...parts) => JSON.stringify(openApi(...parts))),
    wellKnown: atOrigin('wellKnown', (...parts) => JSON.stringify(wellKnown(...parts))),
    llms: atOrigin('llms', llmsText),
    ...(receipts && { didDocument: atOrigin('didDocument', (_, origin) => receipts.didDocument(origin)) }),
  };
}
