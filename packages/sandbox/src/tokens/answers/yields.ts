import { stakePoolRank } from '../catalogue.ts';
import { metricsOf } from '../market.ts';
import type { Variant } from '../model.ts';

const SOLANA = 'solana';
const SHOWN_FROM_USD = 250_000;

/** Whether a request wants the many staked coins of Solana whatever they are worth. */
export const wantsAll = (query: URLSearchParams): boolean => query.get('variantsMode')?.trim() === 'all';

/** Whether a variant is one of the staked coins of Solana, of which there are too many to show. */
export const isStaked = ({ asset, kind }: Variant): boolean => asset.id === SOLANA && kind === 'yield';

/** Whether Sanctum lists a variant. */
export const isListed = ({ mint }: Variant): boolean => stakePoolRank(mint) !== undefined;

/** Whether a variant has a market that is deep enough to be shown among many. */
export const isDeep = (variant: Variant, now: number): boolean =>
  (metricsOf(variant, now)?.liquidity ?? 0) >= SHOWN_FROM_USD;
