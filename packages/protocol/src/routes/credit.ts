import type { Cluster } from '../networks.ts';
import * as results from '../results/credit.ts';
import { catalogWithCredit } from '../results/system.ts';
import { type Route, schemasOf, unchanged } from '../route.ts';

const PATH = '/v1/x402/credit';

const shared = {
  provider: 'gateway',
  surface: 'credit',
  input: schemasOf({}),
  rules: [],
  codes: {},
  example: {},
  upstream: { path: '', forward: unchanged },
} as const;

const sold = (cluster: Cluster): Route => ({
  ...shared,
  input: schemasOf({ body: {} }),
  example: { body: {} },
  id: `credit.${cluster}.buy`,
  method: 'buyCredit',
  httpMethod: 'POST',
  path: `${PATH}/${cluster}`,
  access: 'exact',
  cluster,
  credit: 'sold',
  description: `Buys credit for paid routes of Solana ${cluster}: as much as is paid, by one of the amounts in accepts.`,
  result: results.bought,
});

/** A row where credit is on: a paid one takes it, and the catalog may list rows of the gateway's own. */
export function withCredit(route: Route): Route {
  if (route.access === 'exact') return { ...route, credit: 'accepted' };
  return route.id === 'system.catalog' ? { ...route, result: catalogWithCredit } : route;
}

/** What wallets pay ahead, where an operator has switched it on. */
export const creditRoutes: readonly Route[] = [
  {
    ...shared,
    id: 'credit.balance',
    method: 'getCredit',
    httpMethod: 'GET',
    path: PATH,
    access: 'siwx',
    description: 'The credit of the wallet that signs, and its latest movements.',
    result: results.credit,
  },
  sold('mainnet'),
  sold('devnet'),
];
