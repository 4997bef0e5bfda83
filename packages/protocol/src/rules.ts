import type { Rule, Values } from './route.ts';

const count = (values: Values, name: string): number => {
  const value = values[name];
  return Array.isArray(value) ? value.length : 0;
};

/** Exactly one of the named query parameters is given. */
export const exactlyOne = (...parameters: readonly string[]): Rule => ({
  name: 'exactlyOne',
  description: `Exactly one of ${parameters.join(' and ')} must be given.`,
  in: 'query',
  parameters,
  holds: (values) => parameters.filter((name) => values[name] !== undefined).length === 1,
});

/** The lists together hold from 1 to `maximum` items. */
export const combinedCount = (place: Rule['in'], maximum: number, ...parameters: readonly string[]): Rule => ({
  name: 'combinedCount',
  description: `${parameters.join(' and ')} together must hold 1 to ${maximum} items.`,
  in: place,
  parameters,
  holds: (values) => {
    const total = parameters.reduce((sum, name) => sum + count(values, name), 0);
    return total >= 1 && total <= maximum;
  },
});

/** `later` is not before `earlier`, when both are given. */
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
