import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { type Answered, Caller, codeOf, HEALTH, send, slotsLeft } from './caller.ts';
import { plainAnswer, startTrap } from './trap.ts';

const FINE = plainAnswer('200 OK', ['Content-Type: application/json'], '{"ok":true}');
const MAX_IN_FLIGHT = 64;
const CLIENTS = 120;
const MEBIBYTE = 1024 * 1024;

const together = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(5);
}

const codesOf = (answers: readonly Answered[]): string[] => answers.map(codeOf);

describe('U21 a slow upstream and many clients', () => {
  const held: Socket[] = [];
  let holding = true;

  it('at most 64 calls are in flight; more are refused at once and use up neither sign-in nor slot', async () => {
    const trap = await startTrap((socket) => void (holding ? held.push(socket) : socket.write(FINE)));
    const gateway = await startTestGateway({ TOKENS_API_BASE_URL: trap.url });
    const caller = new Caller(gateway);
    const signIns = await together(CLIENTS, () => caller.signIn());
    const refused: (readonly [Answered, (typeof signIns)[number]])[] = [];
    const asked = signIns.map(async (signIn) => {
      const answer = await caller.askWith(signIn, { target: HEALTH });
      if (holding) refused.push([answer, signIn]);
      return answer;
    });
    await until(() => trap.heard.length + refused.length === CLIENTS);
    expect(held).toHaveLength(MAX_IN_FLIGHT);
    for (const [{ status, headers, json }] of refused) {
      expect([status, json.error, headers.get('retry-after')]).toEqual([503, 'overloaded', '1']);
    }
    expect((await send(gateway, { target: '/healthz' })).status).toBe(200);
    holding = false;
    for (const socket of held) socket.write(FINE);
    expect(codesOf(await Promise.all(asked)).filter((code) => code === '200 ok')).toHaveLength(MAX_IN_FLIGHT);

    const later = await Promise.all(refused.map(([, signIn]) => caller.askWith(signIn, { target: HEALTH })));
    expect(new Set(codesOf(later))).toEqual(new Set(['200 ok']));
    expect(trap.heard).toHaveLength(CLIENTS);
    expect(Math.min(...later.map((answer) => slotsLeft(answer) ?? 0))).toBe(100_000 - CLIENTS);
  });
});

describe('U4 answers without end', () => {
  const PARALLEL = isFull ? 20 : 6;

  it.each([
    ['100 MiB', { huge: 100 * MEBIBYTE }],
    ['1 GiB that came packed', { gzipBomb: 1024 * MEBIBYTE }],
  ])('of %s are not kept in memory', { timeout: 90_000 }, async (_, knobs) => {
    const gateway = await startTestGateway({ UPSTREAM_TIMEOUT_MS: '60000' });
    Object.assign(gateway.upstream.faults, knobs);
    const before = process.memoryUsage().rss;
    const answers = await together(PARALLEL, () => new Caller(gateway).ask({ target: HEALTH }));
    expect(new Set(codesOf(answers))).toEqual(new Set(['502 upstream_invalid_response']));
    expect((process.memoryUsage().rss - before) / MEBIBYTE).toBeLessThan(600);
    gateway.upstream.faults.reset();
    expect((await new Caller(gateway).ask({ target: HEALTH })).status).toBe(200);
  });
});
