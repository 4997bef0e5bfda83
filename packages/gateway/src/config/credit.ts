import type { PaidConfig } from './paid.ts';
import type { Reader } from './settings.ts';

/** Credit settings, in millionths of a dollar. */
export interface CreditConfig {
  /** Maximal balance of a wallet on one network. */
  readonly limitMicros: number;
  /** Offered as the larger requirement of a 402. */
  readonly bundleMicros: number;
  /** Amounts of the routes that sell credit, ascending. */
  readonly bundlesMicros: readonly number[];
}

const MICROS = 1_000_000;
const DOLLARS = /^\d{1,4}(?:\.\d{1,6})?$/;
const MOST_BUNDLES = 5;

function microsOf(text: string): number | undefined {
  const micros = DOLLARS.test(text) ? Math.round(Number(text) * MICROS) : 0;
  return micros > 0 ? micros : undefined;
}

function readDollars(read: Reader, name: string, fallback: string): number {
  const micros = microsOf(read.text(name, fallback));
  read.check(micros !== undefined, `${name} must be dollars above 0 with at most six decimals, such as ${fallback}.`);
  return micros ?? 0;
}

function readBundles(read: Reader, fallback: string): number[] {
  const texts = read.text('CREDIT_BUNDLES_USD', fallback).split(',', MOST_BUNDLES + 1);
  const all = texts.map((text) => microsOf(text.trim()) ?? 0).sort((one, other) => one - other);
  const isGood = all.length <= MOST_BUNDLES && all.every((micros) => micros > 0) && new Set(all).size === all.length;
  read.check(
    isGood,
    `CREDIT_BUNDLES_USD must be up to ${MOST_BUNDLES} different amounts in dollars, such as ${fallback}.`,
  );
  return all;
}

/** Reads the credit settings; undefined if credit is off. */
export function readCredit(read: Reader, paid: PaidConfig | 'unusable' | undefined): CreditConfig | undefined {
  const isOn = read.choice('CREDIT', 'off', ['on', 'off']) === 'on';
  const credit = {
    limitMicros: readDollars(read, 'CREDIT_MAX_USD', '5'),
    bundleMicros: readDollars(read, 'CREDIT_BUNDLE_USD', '0.05'),
    bundlesMicros: readBundles(read, '0.05,0.25,1'),
  };
  if (!isOn) return undefined;
  read.check(paid !== undefined, 'CREDIT=on has nothing to sell: set an RPC URL or HELIUS_API_KEY, or CREDIT=off.');
  const hasMemos = paid === undefined || paid === 'unusable' || paid.useMemos;
  read.check(hasMemos, 'CREDIT=on needs PAYMENT_MEMO=on: without a memo a payment is not bound to its request.');
  const largest = Math.max(credit.bundleMicros, ...credit.bundlesMicros);
  read.check(largest <= credit.limitMicros, 'CREDIT_MAX_USD must be at least the largest of the bundles.');
  return credit;
}
