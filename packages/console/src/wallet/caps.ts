import type { Caps } from '@asset-gateway/client/pay';
import { keep, readKept } from './kept.ts';

/** What a payment may come to, in dollars. */
export type PageCaps = Required<Omit<Caps, 'inAllUsd'>>;

const NAME = 'caps';
const USUAL: PageCaps = { perCallUsd: 0.01, perBundleUsd: 0.05, perDayUsd: 1 };

const isCap = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1000;

/** The caps of this browser; what is no cap is the usual one. */
export function readCaps(): PageCaps {
  const kept = readKept<Partial<PageCaps>>(NAME, {});
  const of = (name: keyof PageCaps): number => (isCap(kept[name]) ? kept[name] : USUAL[name]);
  return { perCallUsd: of('perCallUsd'), perBundleUsd: of('perBundleUsd'), perDayUsd: of('perDayUsd') };
}

export const keepCaps = (caps: PageCaps): void => keep(NAME, caps);
