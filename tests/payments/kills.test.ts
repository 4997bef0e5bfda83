import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../kit/rounds.ts';
import { compileGateway } from '../process/program.ts';
import { openStreet, type Street } from './fault-process.ts';
import { expectServedOnce, killedAfter } from './fault-story.ts';

describe.sequential('P7 a gateway that is killed before anything is written', () => {
  let street: Street;
  beforeAll(async () => {
    await compileGateway();
    street = await openStreet();
  });
  afterAll(() => street.close());

  it.each(['reserve', 'verify', 'upstream'])(
    'P7 killed after %s: one transfer, one answer',
    { timeout: 300_000 },
    async (step) => {
      for (let round = 0; round < rounds(20); round++) {
        const story = await killedAfter(step, street);
        expectServedOnce(story);
        expect(story.calls).toEqual([step === 'upstream' ? 1 : 0, 1]);
      }
    },
  );
});
