import { expect, it } from 'vitest';
import { PaidAnswers } from '../../packages/gateway/src/gates/gate.ts';

/** Something that was paid for, whose answer is gone. */
function paidBefore() {
  const kept: string[] = [];
  const told = { calls: 1 };
  const answers = new PaidAnswers({
    now: () => 0,
    answer: async () => kept[0],
    calls: async () => told.calls,
    called: async () => {
      told.calls += 1;
    },
    keep: async (_, answer) => void kept.push(answer),
    delivered: () => undefined,
  });
  const admit = async () => {
    const found = await answers.deliver('key', { headers: {} });
    if ('answer' in found) throw new Error('the answer is stored');
    return found;
  };
  return { admit, kept, told };
}

const take = async () => ({ release: () => undefined });
const inProgress = expect.objectContaining({ code: 'payment_in_progress' });

it('W5 of two requests for an answer that is gone one asks the upstream, whichever was admitted first', async () => {
  const { admit, kept, told } = paidBefore();
  const [one, during, after] = [await admit(), await admit(), await admit()];
  await one.spend(take);
  await expect(during.spend(take)).rejects.toEqual(inProgress);
  await during[Symbol.asyncDispose]();
  await one.settle({ json: '"text"' });
  await one[Symbol.asyncDispose]();
  await expect(after.spend(take)).rejects.toEqual(inProgress);
  await after[Symbol.asyncDispose]();
  expect([kept, told.calls]).toEqual([['"text"'], 2]);
});

it('an answer that the upstream did not give is asked for again', async () => {
  const { admit, kept, told } = paidBefore();
  const failed = await admit();
  await failed.spend(take);
  await failed[Symbol.asyncDispose]();
  const next = await admit();
  await next.spend(take);
  await next.settle({ json: '"text"' });
  await next[Symbol.asyncDispose]();
  expect([kept, told.calls]).toEqual([['"text"'], 3]);
});
