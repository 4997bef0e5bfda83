import type { Cluster } from '../networks.ts';
import * as results from '../results/system.ts';
import type { Route } from '../route.ts';
import { defineRow } from './row.ts';

const PATH = '/v1/x402/credit';

const shared = { provider: 'gateway', surface: 'credit' } as const;

const sold = (cluster: Cluster): Route =>
  defineRow({
    ...shared,
    id: `credit.${cluster}.buy`,
    method: 'buyCredit',
    endpoint: `POST ${PATH}/${cluster}`,
    access: 'exact',
    cluster,
    credit: 'sold',
    description: `Buys credit for paid routes of Solana ${cluster}: pay one of the amounts in accepts.`,
    body: {},
    example: { body: {} },
    result: results.bought,
  });

/** The credit routes. */
export const creditRoutes: readonly Route[] = [
  defineRow({
    ...shared,
    id: 'credit.balance',
    method: 'getCredit',
    endpoint: `GET ${PATH}`,
    access: 'siwx',
    description: "The signing wallet's credit and its latest movements.",
    result: results.credit,
  }),
  sold('mainnet'),
  sold('devnet'),
];
