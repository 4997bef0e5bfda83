import type { Route } from '../route.ts';
import { dasRoutes } from './das.ts';
import { rpcRoutes } from './rpc.ts';
import { systemRoutes } from './system.ts';
import { tokensRoutes } from './tokens.ts';
import { walletRoutes } from './wallet.ts';

/** THE TABLE: every endpoint there is, before an operator's configuration leaves any out. */
export const routes: readonly Route[] = [...systemRoutes, ...tokensRoutes, ...rpcRoutes, ...dasRoutes, ...walletRoutes];
