import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Pool } from '../../packages/gateway/src/pool.ts';
import { ResponseHandler } from '../../packages/gateway/src/upstreams/response.ts';
import { freePort } from '../http/ports.ts';
import { startTestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { Caller, HEALTH, slotFreesIn } from './caller.ts';
import { startTrap } from './trap.ts';

const SHORT = { UPSTREAM_TIMEOUT_MS: '300' };
const trap = await startTrap(() => undefined);
const gateway = await startTestGateway(SHORT, WITHOUT_BREAKER);
const silent = await startTestGateway({ ...SHORT, TOKENS_API_BASE_URL: trap.url });
afterEach(() => gateway.upstream.faults.reset());

it.each([
  ['U1 an upstream that never answers', { hang: true }],
  ['U1 an upstream that answers later than it may', { delayMs: 5_000 }],
  ['U2 an upstream that sends a byte now and then', { drip: 100, body: JSON.stringify('a'.repeat(1_000)) }],
  ['U2 an upstream that drips a compressed body', { drip: 100, encoding: 'gzip' as const }],
])('%s is aborted at the deadline, and called once', async (_, knobs) => {
  Object.assign(gateway.upstream.faults, knobs);
  const before = gateway.upstream.arrivals.length;
  const answer = await new Caller(gateway).ask({ target: HEALTH });
  expect([answer.status, answer.json.error]).toEqual([504, 'upstream_timeout']);
  expect(answer.text).not.toContain('"result"');
  expect(gateway.upstream.arrivals.length).toBe(before + 1);
});

it('U2 a refusal with a slow body keeps its status, without its message', async () => {
  Object.assign(gateway.upstream.faults, { drip: 100, status: 404, message: 'slow words' });
  const { status, json } = await new Caller(gateway).ask({ target: HEALTH });
  expect([status, json.error, json.message]).toEqual([404, 'upstream_rejected', 'The upstream rejected the request.']);
});

it('U1 an aborted call closes its socket and is not sent again', async () => {
  const caller = new Caller(silent);
  for (const round of [1, 2, 3]) {
    expect((await caller.ask({ target: HEALTH })).status).toBe(504);
    while (trap.asked() > 0) await wait(5);
    expect(trap.heard).toHaveLength(round);
  }
});

describe('the slot of a call frees', () => {
  async function expectFreed(seconds: number, knobs: object, variables: object): Promise<void> {
    const fresh = await startTestGateway({ UPSTREAM_TIMEOUT_MS: '900', ...variables });
    Object.assign(fresh.upstream.faults, knobs);
    const freesIn = slotFreesIn(await new Caller(fresh).ask({ target: HEALTH })) ?? 0;
    // The rest of the deadline, and what of a second had begun.
    expect(freesIn).toBeGreaterThanOrEqual(seconds);
    expect(freesIn).toBeLessThanOrEqual(seconds + 1);
  }

  it.each([
    ['U1 a minute after it was answered', {}, 60],
    ['U1 a minute and 5 s after its deadline when it was given up then, for it may be read late', { hang: true }, 65],
    ['U3 a minute and 5 s after its deadline when its connection was lost', { resetConnection: true }, 65],
  ])('%s', (_, knobs, seconds) => expectFreed(seconds, knobs, {}));

  it('U10 a minute after a failed connection', async () => {
    const unused = `http://127.0.0.1:${await freePort()}`;
    await expectFreed(60, {}, { TOKENS_API_BASE_URL: unused });
  });
});

it('U1 a request is not written after its deadline', async () => {
  const pool = new Pool(trap.url, { connections: 1 });
  const [heard, late] = [trap.heard.length, new ResponseHandler(-1)];
  pool.dispatch({ method: 'GET', path: '/' }, late);
  // Its timer may come before the connection does.
  await expect(late.head).rejects.toThrow(/^(too late to be written|deadline)$/);
  expect([trap.heard.length, late.isWritten]).toEqual([heard, false]);
  late.end();
  const inTime = new ResponseHandler(60_000);
  inTime.head.catch(() => undefined);
  pool.dispatch({ method: 'GET', path: '/' }, inTime);
  await wait(200);
  expect([trap.heard.length, inTime.isWritten]).toEqual([heard + 1, true]);
  inTime.end();
  await pool.destroy();
});
