import { describe, expect, it } from 'vitest';
import { roundsOnEach } from '../kit/rounds.ts';
import { useKills } from './kills.ts';

describe.sequential('P7 a gateway that is killed once the answer is written', () => {
  const killedAfter = useKills();

  it.each(['store', 'settle', 'record', 'respond'])(
    'P7 killed after %s: one transfer, one entry, one answer, one upstream call',
    { timeout: 300_000 },
    async (step) => {
      for (let round = 0; round < roundsOnEach(20); round++) {
        expect((await killedAfter(step)).calls).toEqual([1, 0]);
      }
    },
  );
});
