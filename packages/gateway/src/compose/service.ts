import { dollars, everyRoute, type Route, receiptRoutes, withCredit } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import type { Service } from '../describe/service.ts';
import type { ExactSetup } from '../payments/open.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
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
