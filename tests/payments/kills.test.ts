import { afterAll, beforeAll, expect, it } from 'vitest';
import { withBothDatabases } from '../kit/databases.ts';
import { rounds } from '../kit/rounds.ts';
import { compileGateway } from '../process/program.ts';
import { type GatewaySeries, openGatewaySeries } from './fault-process.ts';
import { expectServedOnce, type Killed, killAfter, type Story } from './fault-story.ts';

/** Upstream calls before and after the kill, by the step that the gateway has just taken. */
const CALLS: Readonly<Record<string, Story['calls']>> = {
  reserve: [0, 1],
  verify: [0, 1],
  upstream: [1, 1],
  store: [1, 0],
  settle: [1, 0],
  record: [1, 0],
  respond: [1, 0],
};

withBothDatabases('P7 a gateway that is killed', (variables) => {
  let series: GatewaySeries;
  beforeAll(async () => {
    await compileGateway();
    series = await openGatewaySeries(variables());
  });
  afterAll(() => series.close());

  it.each(Object.entries(CALLS))(
    'P7 after %s: one transfer, one journal entry and one answer when the payment is sent again',
    { timeout: 600_000 },
    async (step, calls) => {
      const killed: Killed[] = [];
      for (let round = 0; round < rounds(20); round++) killed.push(await killAfter(step, series));
      for (const { resend } of killed) {
        const story = await resend();
        expectServedOnce(story);
        expect(story.calls).toEqual(calls);
      }
      await series.expectBooksInOrder();
    },
  );
});
