import { describe, expect, it } from 'vitest';
import { roundsOnEach } from '../kit/rounds.ts';
import { useKills } from './kills.ts';

describe.sequential('P7 a gateway that is killed before anything is written', () => {
  const killedAfter = useKills();

  it.each(['reserve', 'verify', 'upstream'])(
    'P7 killed after %s: one transfer, one entry, one answer',
    { timeout: 300_000 },
    async (step) => {
      for (let round = 0; round < roundsOnEach(20); round++) {
        expect((await killedAfter(step)).calls).toEqual([step === 'upstream' ? 1 : 0, 1]);
      }
    },
  );
});
