import type { Cluster } from '../networks.ts';
import * as results from '../results/system.ts';
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
  description: `Buys credit for paid routes of Solana ${cluster}: pay one of the amounts in accepts.`,
  result: results.bought,
});

/** The credit routes. */
export const creditRoutes: readonly Route[] = [
  {
    ...shared,
    id: 'credit.balance',
    method: 'getCredit',
    httpMethod: 'GET',
    path: PATH,
    access: 'siwx',
    description: "The signing wallet's credit and its latest movements.",
    result: results.credit,
  },
  sold('mainnet'),
  sold('devnet'),
];
