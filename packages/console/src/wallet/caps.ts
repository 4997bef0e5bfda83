import type { Caps } from '@asset-gateway/client/pay';
import { keep, readSure } from './kept.ts';

/** What a payment may come to, in dollars. */
export type PageCaps = Required<Omit<Caps, 'inAllUsd'>>;

const NAME = 'caps';
const USUAL: PageCaps = { perCallUsd: 0.01, perBundleUsd: 0.05, perDayUsd: 1 };

const isCap = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1000;

const NOTHING: PageCaps = { perCallUsd: 0, perBundleUsd: 0, perDayUsd: 0 };

const isCaps = (value: unknown): value is PageCaps =>
  typeof value === 'object' && value !== null && Object.keys(USUAL).every((name) => isCap(Reflect.get(value, name)));

/** The caps of this browser. Where its user has set some that cannot be read, nothing is paid: they may have been lower. */
export function readCaps(): PageCaps {
  try {
    return readSure(NAME, isCaps, USUAL);
  } catch {
    return NOTHING;
  }
}

export const keepCaps = (caps: PageCaps): void => keep(NAME, caps);
