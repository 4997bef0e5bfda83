import type { Cluster } from '../networks.ts';
import type { Route } from '../route.ts';
import { creditRoutes } from './credit.ts';
import { dasRoutes } from './das.ts';
import { rpcRoutes } from './rpc.ts';
import { catalogRow, consoleRoutes, faucetRoute, receiptRoutes, systemRoutes } from './system.ts';
import { tokensRoutes } from './tokens.ts';
import { walletRoutes } from './wallet.ts';

/** The table of routes: all endpoints that are on by default. */
export const routes: readonly Route[] = [...systemRoutes, ...tokensRoutes, ...rpcRoutes, ...dasRoutes, ...walletRoutes];

/** Every row, including those that an operator must turn on. */
export const everyRoute: readonly Route[] = [...routes, ...receiptRoutes, ...creditRoutes];

export { catalogRow, consoleRoutes, creditRoutes, faucetRoute, receiptRoutes };

/** Returns the path of an operation in an operator's API. `cluster`: the cluster to pay on; undefined for a free operation. */
export const apiPath = (api: string, path: string, cluster: Cluster | undefined): string =>
  cluster ? `/v1/x402/solana/${cluster}/${api}${path}` : `/v1/x402/${api}${path}`;
