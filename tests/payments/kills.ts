import type { Environment } from '@asset-gateway/gateway';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rounds } from '../kit/rounds.ts';
import { compileGateway } from '../process/program.ts';
import { openStreet, type Street } from './fault-process.ts';
import { expectServedOnce, type Killed, killAfter, type Story } from './fault-story.ts';

/**
 * Kills gateways after each step of a purchase. Each payment is sent again: it is one transfer, one answer and one entry in the
 * journal. `callsOf` says how many upstream calls there are before and after the kill.
 */
export function testKills(
  steps: readonly string[],
  callsOf: (step: string) => Story['calls'],
  variables: () => Environment,
): void {
  let street: Street;
  beforeAll(async () => {
    await compileGateway();
    street = await openStreet(variables());
  });
  afterAll(() => street.close());

  it.each(steps)('P7 killed after %s: one transfer, one entry, one answer', { timeout: 600_000 }, async (step) => {
    const killed: Killed[] = [];
    for (let round = 0; round < rounds(20); round++) killed.push(await killAfter(step, street));
    for (const { resend } of killed) {
      const story = await resend();
      expectServedOnce(story);
      expect(story.calls).toEqual(callsOf(step));
    }
    await street.expectBooksInOrder();
  });
}
