import { dollars, everyRoute, type Route, receiptRoutes, withCredit } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import { catalog } from '../describe/catalog.ts';
import { llmsText } from '../describe/llms.ts';
import { openApi } from '../describe/openapi.ts';
import { document, ownRoute, type Service, wellKnown } from '../describe/service.ts';
import type { OriginOf } from '../gates/challenge.ts';
import type { ExactSetup } from '../payments/open.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import type { OwnAnswer } from '../upstreams/upstream.ts';
import type { Channels } from './channels.ts';

/** What decides, beside the configuration, whether a route is there. */
interface Serving {
  readonly channels: Channels;
  readonly exact: ExactSetup | undefined;
  readonly receipts: ReceiptIssuer | undefined;
}

/** A route is there when somebody answers it and, for money, when somebody can be paid. With credit, paid ones take it. */
function enabledAs(route: Route, config: Config, { channels, exact, receipts }: Serving): Route[] {
  const hasCredit = config.credit !== undefined;
  const isSold = route.access !== 'exact' || exact?.clusters.has(route.cluster ?? '') === true;
  if (receiptRoutes.includes(route)) return receipts ? [route] : [];
  if (route.surface === 'credit') return hasCredit && isSold && exact ? [route] : [];
  const isServed = route.provider === 'gateway' || (isSold && channels.get(route) !== undefined);
  if (!isServed) return [];
  return [hasCredit && exact ? withCredit(route) : route];
}

/** The service that a configuration makes, as every view of it is told. */
export function serviceOf(config: Config, serving: Serving): Service {
  const { exact } = serving;
  const [cheapest = 0] = config.credit?.bundlesMicros ?? [];
  return {
    name: config.serviceName,
    routes: everyRoute.flatMap((route) => enabledAs(route, config, serving)),
    priceUsd: (route) => dollars(route.credit === 'sold' ? cheapest : (exact?.priceOf(route) ?? 0)),
    hasShares: config.fairShares,
    hasBlocked: config.blocked !== undefined,
  };
}

/** Makes a thing when it is first asked for, and keeps it; its keys are few and known. */
function kept<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const thing = made.get(key) ?? make(key);
    made.set(key, thing);
    return thing;
  };
}

/** By the row's method. */
export type OwnAnswers = Readonly<Record<string, OwnAnswer>>;

/** The gateway's own answers: views of the enabled routes, for each origin that they name. */
export function ownAnswers(service: Service, originOf: OriginOf, receipts: ReceiptIssuer | undefined): OwnAnswers {
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
    catalog: ({ input }) => catalogOf(input.query.provider === undefined ? undefined : String(input.query.provider)),
    openapi: atOrigin('openapi', (...parts) => JSON.stringify(openApi(...parts))),
    wellKnown: atOrigin('wellKnown', (...parts) => JSON.stringify(wellKnown(...parts))),
    llms: atOrigin('llms', llmsText),
    ...(receipts && { didDocument: atOrigin('didDocument', (_, origin) => receipts.didDocument(origin)) }),
  };
}
