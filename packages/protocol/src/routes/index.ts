import type { Route } from '../route.ts';
import { creditRoutes, withCredit } from './credit.ts';
import { dasRoutes } from './das.ts';
import { rpcRoutes } from './rpc.ts';
import { consoleRoutes, faucetRoute, receiptRoutes, systemRoutes } from './system.ts';
import { tokensRoutes } from './tokens.ts';
import { walletRoutes } from './wallet.ts';

/** THE TABLE: every endpoint there is by default, before an operator's configuration leaves any out. */
export const routes: readonly Route[] = [...systemRoutes, ...tokensRoutes, ...rpcRoutes, ...dasRoutes, ...walletRoutes];

/** Every row that there can be: those of the table, and those that an operator has to switch on. */
export const everyRoute: readonly Route[] = [...routes, ...receiptRoutes, ...creditRoutes];

export { consoleRoutes, creditRoutes, faucetRoute, receiptRoutes, withCredit };
