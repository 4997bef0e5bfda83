import type { Caps } from '@asset-gateway/client/pay';
import { readStoredOrThrow, store } from './storage.ts';

/** The most that this page pays, in dollars. */
export type PageCaps = Required<Omit<Caps, 'inAllUsd'>>;

const NAME = 'caps';
const DEFAULT: PageCaps = { perCallUsd: 0.01, perBundleUsd: 0.05, perDayUsd: 1 };
const NOTHING: PageCaps = { perCallUsd: 0, perBundleUsd: 0, perDayUsd: 0 };

const isCap = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1000;

const isCaps = (value: unknown): value is PageCaps =>
  typeof value === 'object' && value !== null && Object.keys(DEFAULT).every((name) => isCap(Reflect.get(value, name)));

/** The caps of this browser. If stored caps cannot be read, nothing is paid: they may have been lower than the default. */
export function readCaps(): PageCaps {
  try {
    return readStoredOrThrow(NAME, isCaps, DEFAULT);
  } catch {
    return NOTHING;
  }
}

export const storeCaps = (caps: PageCaps): void => store(NAME, caps);
