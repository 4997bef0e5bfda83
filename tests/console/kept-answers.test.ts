import { expect, it } from 'vitest';
import { type KeptAnswer, KeptAnswers } from '../../packages/console/src/parts/kept-answers.ts';

const answer = (length: number): KeptAnswer => ({
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

it('an answer is kept for a minute, and then given back', () => {
  const kept = new KeptAnswers();
  const one = answer(1);
  kept.keep('a', one, 1000);
  expect([kept.get('a', 60_999), kept.get('b', 60_999)]).toEqual([one, undefined]);
  expect(kept.get('a', 61_000)).toBeUndefined();
});

it('of many long answers the latest are kept', () => {
  const kept = new KeptAnswers();
  for (const key of ['a', 'b', 'a', 'c', 'd']) kept.keep(key, answer(5_000_000), 0);
  expect(['a', 'b', 'c', 'd'].filter((key) => kept.get(key, 1))).toEqual(['a', 'c', 'd']);
});
