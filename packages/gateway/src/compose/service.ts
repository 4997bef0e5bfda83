import {
  catalogRow,
  dollars,
  everyRoute,
  MAX_READ_BYTES,
  Refusal,
  type Route,
  receiptRoutes,
} from '@asset-gateway/protocol';
import { catalogTexts } from '../describe/catalog.ts';
import { Document, OPEN_ORIGIN } from '../describe/documents.ts';
import { llmsText } from '../describe/llms.ts';
import { openApi } from '../describe/openapi.ts';
import { ownRoute, type Service, wellKnown } from '../describe/service.ts';
import type { ExactSetup } from '../payments/open.ts';
import type { OwnAnswer } from '../upstreams/upstream.ts';
import type { Channels } from './channels.ts';
import type { Foundation } from './dependencies.ts';

/** Returns the service of a configuration. A route is enabled if it has an upstream and, if it is paid, a payee on its cluster. */
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

/** The origin for documents that name none, such as the catalog. */
const NO_ORIGIN = '';

const READY = { json: JSON.stringify({ ok: true, status: 'ready' }) };

const MIB = 1024 * 1024;

/** Returns a notice that names the catalogs that are too long for our clients. */
export function lengthNotice(catalogs: ReadonlyMap<string | undefined, string>): string | undefined {
  const long = [...catalogs].flatMap(([provider, text]) =>
    provider !== undefined && Buffer.byteLength(text) > MAX_READ_BYTES ? [provider] : [],
  );
  if (long.length === 0) return undefined;
  return (
    `the catalog of ${long.join(' and of ')} is longer than the ${MAX_READ_BYTES / MIB} MiB that our clients read, so they cannot ` +
    'call its operations by name or pay for them: serve fewer operations in APIS_FILE, or divide the API into several'
  );
}

/**
 * Returns the gateway's own answers by the route's method: documents about the enabled routes. All texts are made before the gateway
 * listens. For a configured origin they are also compressed then. A gateway for local use compresses them for each origin at the first
 * request.
 */
export async function ownAnswers(
  service: Service,
  { config, originOf, receipts, notReadyCode, notice }: Foundation,
): Promise<Readonly<Record<string, OwnAnswer>>> {
  const catalogs = catalogTexts(service);
  const tooLong = lengthNotice(catalogs);
  if (tooLong !== undefined) notice(tooLong);
  const documentOf = (method: string, text: ConstructorParameters<typeof Document>[0]) =>
    new Document(text, ownRoute(service, method).maxAgeSeconds ?? 0);
  const kept = new Map([...catalogs].map(([provider, text]) => [provider, documentOf('catalog', text)]));
  const named = {
    openapi: documentOf('openapi', JSON.stringify(openApi(service, OPEN_ORIGIN))),
    wellKnown: documentOf('wellKnown', JSON.stringify(wellKnown(service, OPEN_ORIGIN))),
    llms: documentOf('llms', llmsText(service, OPEN_ORIGIN)),
    ...(receipts && { didDocument: documentOf('didDocument', (origin) => receipts.didDocument(origin)) }),
  };
  await Promise.all([...kept.values()].map((document) => document.at(NO_ORIGIN)));
  const { baseUrl } = config;
  if (baseUrl !== undefined) await Promise.all(Object.values(named).map((document) => document.at(baseUrl)));
  const liveness = { json: JSON.stringify({ ok: true, service: service.name, status: 'healthy' }) };
  const atOrigin = Object.entries(named).map(([method, document]): [string, OwnAnswer] => [
    method,
    ({ arrival }) => document.answer(originOf(arrival), arrival),
  ]);
  return {
    ...Object.fromEntries(atOrigin),
    liveness: () => liveness,
    readiness() {
      const code = notReadyCode();
      if (code) throw new Refusal(code, { reason: 'not ready' });
      return READY;
    },
    catalog({ input: { query }, arrival }) {
      const found = kept.get(query.provider === undefined ? undefined : String(query.provider));
      if (!found) throw new Refusal('invalid_provider_filter');
      return found.answer(NO_ORIGIN, arrival);
    },
  };
}
