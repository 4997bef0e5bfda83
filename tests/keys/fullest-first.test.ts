import { describe, expect, it } from 'vitest';
import { fullestFirst, type KeyView, usableKeys } from '../../packages/gateway/src/upstreams/several-keys.ts';

const NOW = 50_000;
const keyWith = (left: number, more: Partial<KeyView> = {}): KeyView => ({
  left,
  pausedUntilMs: 0,
  setAsideUntilMs: 0,
  ...more,
});
const PAUSED = { pausedUntilMs: NOW + 1 };
const ASIDE = { setAsideUntilMs: NOW + 1 };

/** Where these stand in the list, counted from 0. */
const placesOf = (chosen: readonly KeyView[], views: readonly KeyView[]): number[] =>
  chosen.map((view) => views.indexOf(view));

describe('the keys are tried', () => {
  it.each<[string, readonly KeyView[], readonly number[]]>([
    ['one alone', [keyWith(3)], [0]],
    ['one alone that is set aside', [keyWith(0, ASIDE)], [0]],
    ['the one with most slots left first', [keyWith(1), keyWith(3), keyWith(2)], [1, 2, 0]],
    ['as they are listed where they have as much', [keyWith(2), keyWith(2), keyWith(2)], [0, 1, 2]],
    ['also those with nothing left: the store has the last word', [keyWith(0), keyWith(0)], [0, 1]],
    ['the paused ones last', [keyWith(9, PAUSED), keyWith(0), keyWith(8, PAUSED)], [1, 0, 2]],
    ['not while they are set aside', [keyWith(9, ASIDE), keyWith(1)], [1]],
    ['not while they are set aside, though all others are paused', [keyWith(9, ASIDE), keyWith(1, PAUSED)], [1]],
    ['all of them when all are set aside', [keyWith(1, ASIDE), keyWith(2, ASIDE)], [1, 0]],
    ['as usual at the moment in which a pause ends', [keyWith(9, { pausedUntilMs: NOW }), keyWith(1)], [0, 1]],
    ['again at the moment in which setting aside ends', [keyWith(9, { setAsideUntilMs: NOW }), keyWith(1)], [0, 1]],
  ])('%s', (_, views, places) => expect(placesOf(fullestFirst(views, NOW), views)).toEqual(places));

  it('and what was known of them is left as it was', () => {
    const views = Object.freeze([keyWith(1), keyWith(2)]);
    expect(placesOf(fullestFirst(views, NOW), views)).toEqual([1, 0]);
  });
});

describe('the slots count', () => {
  it.each<[string, readonly KeyView[], readonly number[]]>([
    ['of all keys, in the order of the list', [keyWith(1), keyWith(2)], [0, 1]],
    ['not of those that are paused or set aside', [keyWith(1, PAUSED), keyWith(2, ASIDE), keyWith(0)], [2]],
    ['of the paused ones when the others are set aside', [keyWith(1, PAUSED), keyWith(2, ASIDE)], [0]],
    ['of all when all are paused', [keyWith(1, PAUSED), keyWith(2, PAUSED)], [0, 1]],
    ['of all when all are set aside', [keyWith(1, ASIDE), keyWith(2, ASIDE)], [0, 1]],
    ['of one alone in any case', [keyWith(3, { ...PAUSED, ...ASIDE })], [0]],
  ])('%s', (_, views, places) => expect(placesOf(usableKeys(views, NOW), views)).toEqual(places));
});
