import type { Route } from '../route.ts';
import { systemRoutes } from './system.ts';
import { tokensRoutes } from './tokens.ts';

/** THE TABLE: every endpoint there is, before an operator's configuration leaves any out. */
export const routes: readonly Route[] = [...systemRoutes, ...tokensRoutes];
