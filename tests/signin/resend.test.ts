import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../packages/gateway/src/budget/store.ts';
import { freePort } from '../http/ports.ts';
import { startTestGateway, type TestGatewayOptions } from '../kit/test-gateway.ts';
import { decodeHeader } from '../kit/wallet.ts';
import { overHttp, refusedWith, statusOf } from './craft.ts';
import { openDirect } from './direct-gateway.ts';
import { HEALTH, SEARCH } from './payload.ts';

const SEARCH_PATH = '/v1/x402/tokens/assets/search';
const open = (variables = {}, options: TestGatewayOptions = { windowMs: 3_600_000 }) =>
  startTestGateway(variables, options);
const wide = await open({ UPSTREAM_TIMEOUT_MS: '2000' });

const errorOf = async (response: Response): Promise<unknown> => ((await response.json()) as { error?: string }).error;

/** Expects a refusal with this status, code and, if given, Retry-After. */
async function expectRefusal(response: Response, status: number, code: string, retryAfter?: string): Promise<void> {
  expect([response.status, await errorOf(response)]).toEqual([status, code]);
  if (retryAfter !== undefined) expect(response.headers.get('retry-after')).toBe(retryAfter);
}

it('a header refused with 400 is not used up, takes no slot, and gets the next nonce', async () => {
  const asker = overHttp(wide);
  const header = await asker.signIn(SEARCH_PATH);
  await asker.costsNothing(async () => {
    const refused = await asker.askWith(header, `${SEARCH_PATH}?q=sol&limitt=5`);
    await expectRefusal(refused, 400, 'invalid_request');
    expect(refused.headers.get('replay-nonce')).toMatch(/^[0-9a-f]{32}$/);
  });
  expect(await statusOf(asker.askWith(header, `${SEARCH_PATH}?q=sol&limit=5`))).toBe(200);
  await refusedWith('invalid_siwx_nonce', asker.askWith(header, `${SEARCH_PATH}?q=sol&limit=5`));
});

describe('S21 a good header refused because the budget is empty', () => {
  it('is not used up by the 429: it works when a slot frees', async () => {
    const gateway = await open({ TOKENS_RATE_LIMIT_PER_MINUTE: '2' }, { windowMs: 1500 });
    const asker = overHttp(gateway);
    const header = await asker.signIn();
    for (let used = 0; used < 2; used++) expect(await statusOf(asker.askFreshly())).toBe(200);
    const arrivals = gateway.upstream.arrivals.length;
    const limited = await asker.askWith(header);
    await expectRefusal(limited, 429, 'rate_limited');
    expect(limited.headers.get('ratelimit')).toMatch(/^"upstream";r=0;t=\d+$/);
    expect(limited.headers.get('replay-nonce')).toMatch(/^[0-9a-f]{32}$/);
    expect(await statusOf(asker.askWith(header))).toBe(429);
    expect(gateway.upstream.arrivals.length).toBe(arrivals);
    await wait(Number(limited.headers.get('retry-after')) * 1000);
    expect(await statusOf(asker.askWith(header))).toBe(200);
    await refusedWith('invalid_siwx_nonce', asker.askWith(header));
  });
});

describe('S22 an upstream failure after dispatch', () => {
  it.each<[string, object, number]>([
    ['500', { status: 500, times: 1 }, 502],
    ['404', { status: 404, times: 1 }, 404],
    ['two resets', { resetConnection: true, times: 2 }, 502],
    ['nonsense', { body: 'not JSON', times: 1 }, 502],
    ['silence', { hang: true, times: 1 }, 504],
  ])('%s: the nonce is used up, and the answer carries the next one', async (_, knobs, status) => {
    const asker = overHttp(wide);
    const header = await asker.signIn();
    wide.upstream.faults.reset();
    Object.assign(wide.upstream.faults, knobs);
    const failed = await asker.askWith(header);
    const nonce = failed.headers.get('replay-nonce');
    expect(await statusOf(failed)).toBe(status);
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(nonce).not.toBe(decodeHeader(header).nonce);
    const arrivals = wide.upstream.arrivals.length;
    await refusedWith('invalid_siwx_nonce', asker.askWith(header));
    expect(wide.upstream.arrivals.length).toBe(arrivals);
    expect(await statusOf(asker.askFreshly(SEARCH, { nonce }))).toBe(200);
    expect(await statusOf(asker.askFreshly(HEALTH))).toBe(200);
  });

  it('a refused connection: the nonce is used up, because it is taken before the upstream is called', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const asker = overHttp(await open({ TOKENS_API_BASE_URL: url }));
    const header = await asker.signIn();
    await expectRefusal(await asker.askWith(header), 502, 'upstream_unreachable');
    await refusedWith('invalid_siwx_nonce', asker.askWith(header));
  });
});

/** Makes `admit` fail this many times before or after it runs. */
const failing = (store: Store, fault: { before: number; after: number }): Store => {
  const admit = store.admit.bind(store);
  store.admit = async (attempt) => {
    if (fault.before-- > 0) throw new Error('the store is down');
    const verdict = await admit(attempt);
    if (fault.after-- > 0) throw new Error('the reply was lost');
    return verdict;
  };
  return store;
};

describe('S21 a good header at a store that fails', () => {
  it('reaches no upstream and is not used up while the store is down', async () => {
    const fault = { before: 0, after: 0 };
    const direct = await openDirect({ around: (store) => failing(store, fault) });
    const header = await direct.signIn();
    await direct.costsNothing(async () => {
      fault.before = 2;
      const down = await direct.askWith(header);
      await expectRefusal(down, 503, 'state_unavailable', '2');
    });
    expect(await statusOf(direct.askWith(header))).toBe(200);
  });

  it('is served after one lost reply, and takes one slot', async () => {
    const fault = { before: 0, after: 0 };
    const direct = await openDirect({ around: (store) => failing(store, fault) });
    const left = await direct.budgetLeft();
    fault.after = 1;
    expect(await statusOf(direct.askFreshly())).toBe(200);
    expect(await direct.budgetLeft()).toBe(left - 2);
  });
});

describe('a store whose epoch is not read yet', () => {
  it('answers 503 to challenges and sign-ins', async () => {
    let known = false;
    const direct = await openDirect({
      around(store) {
        const epoch = store.epoch.bind(store);
        return Object.assign(store, { epoch: () => (known ? epoch() : undefined) });
      },
    });
    const refused = await direct.ask(HEALTH);
    await expectRefusal(refused, 503, 'state_unavailable', '2');
    known = true;
    const header = await direct.signIn();
    known = false;
    expect(await errorOf(await direct.askWith(header))).toBe('state_unavailable');
    expect(direct.upstream.arrivals).toHaveLength(0);
    known = true;
    expect(await statusOf(direct.askWith(header))).toBe(200);
  });
});
