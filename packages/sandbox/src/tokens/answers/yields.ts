import { stakePoolRank } from '../catalogue.ts';
import { metricsOf } from '../market.ts';
import type { Variant } from '../model.ts';

const SOLANA = 'solana';
const SHOWN_FROM_USD = 250_000;

/** Whether a request wants all staked coins of Solana. */
export const wantsAll = (query: URLSearchParams): boolean => query.get('variantsMode')?.trim() === 'all';

/** Whether a variant is a staked coin of Solana. */
export const isStaked = ({ asset, kind }: Variant): boolean => asset.id === SOLANA && kind === 'yield';

/** Whether Sanctum lists a variant. */
export const isListed = ({ mint }: Variant): boolean => stakePoolRank(mint) !== undefined;

/** Whether a staked coin has enough liquidity to be shown by default. */
export const isDeep = (variant: Variant, now: number): boolean =>
  (metricsOf(variant, now)?.liquidity ?? 0) >= SHOWN_FROM_USD;
