import { expect, it } from 'vitest';
import { AnswerCache, type CachedAnswer } from '../../packages/console/src/parts/use-call.ts';

const answer = (length: number): CachedAnswer => ({
  full: {
    result: undefined,
    text: 'x'.repeat(length),
    requestId: undefined,
    price: undefined,
    transaction: undefined,
    credit: undefined,
    response: new Response(),
  },
  steps: [],
});

it('caches an answer for a minute', () => {
  const cache = new AnswerCache();
  const one = answer(1);
  cache.set('a', one, 1000);
  expect([cache.get('a', 60_999), cache.get('b', 60_999)]).toEqual([one, undefined]);
  expect(cache.get('a', 61_000)).toBeUndefined();
});

it('keeps the latest of many long answers', () => {
  const cache = new AnswerCache();
  for (const key of ['a', 'b', 'a', 'c', 'd']) cache.set(key, answer(5_000_000), 0);
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key, 1))).toEqual(['a', 'c', 'd']);
});
