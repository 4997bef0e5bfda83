import { decodeBase58 } from './base58.ts';
import type { Rule, Values } from './route.ts';

const count = (values: Values, name: string): number => {
  const value = values[name];
  return Array.isArray(value) ? value.length : 0;
};

/** Returns the rule that the query has exactly one of these parameters. */
export const exactlyOne = (...parameters: readonly string[]): Rule => ({
  name: 'exactlyOne',
  description: `Exactly one of ${parameters.join(' and ')} must be given.`,
  in: 'query',
  parameters,
  choice: { of: parameters, isExclusive: true },
  holds: (values) => parameters.filter((name) => values[name] !== undefined).length === 1,
});

/** Returns the rule that these lists together have 1 to `maximum` items. */
export const combinedCount = (place: Rule['in'], maximum: number, ...parameters: readonly string[]): Rule => ({
  name: 'combinedCount',
  description: `${parameters.join(' and ')} together must have 1 to ${maximum} items.`,
  in: place,
  parameters,
  choice: { of: parameters, isExclusive: false },
  holds: (values) => {
    const total = parameters.reduce((sum, name) => sum + count(values, name), 0);
    return total >= 1 && total <= maximum;
  },
});

/** Returns the rule that `later` is not before `earlier`, if both are given. */
export const notBefore = (later: string, earlier: string): Rule => ({
  name: 'notBefore',
  description: `${later} must not be before ${earlier}.`,
  in: 'query',
  parameters: [earlier, later],
  holds: (values) => {
    const [from, to] = [values[earlier], values[later]];
    return typeof from !== 'number' || typeof to !== 'number' || to >= from;
  },
});

/** Returns the rule that a positional parameter has exactly one of these members. */
export const exactlyOneIn = (position: number, ...names: readonly string[]): Rule => ({
  name: 'exactlyOne',
  description: `params[${position}] must have exactly one of ${names.join(' and ')}.`,
  in: 'body',
  parameters: [`params[${position}]`],
  choice: { of: names, isExclusive: true },
  holds: ({ params }) => {
    const object: unknown = Array.isArray(params) ? params[position] : undefined;
    if (typeof object !== 'object' || object === null) return true;
    return names.filter((name) => Object.hasOwn(object, name)).length === 1;
  },
});

const ADDRESS_BYTES = 32;

/** Whether a value is a name, which contains a dot, or a base58 address of 32 bytes. */
function isWallet(value: unknown): boolean {
  if (typeof value !== 'string' || value.includes('.')) return true;
  return decodeBase58(value, ADDRESS_BYTES) !== undefined;
}

/** Returns the rule that a wallet is a name or a valid address. */
export const walletIn = (place: Rule['in'], name: string): Rule => ({
  name: 'wallet',
  description: `${name} must be base58 of 32 bytes, or a name if the route accepts names.`,
  in: place,
  parameters: [name],
  holds: (values) => isWallet(values[name]),
});

/** Returns the rule of `walletIn` for each item of a list. */
export const everyWalletIn = (place: Rule['in'], name: string): Rule => ({
  ...walletIn(place, name),
  holds: (values) => {
    const items = values[name];
    return !Array.isArray(items) || items.every(isWallet);
  },
});
