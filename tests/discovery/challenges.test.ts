import type { Route } from '@asset-gateway/protocol';
import { isValidServiceName } from '@x402/extensions/bazaar';
import { describe, expect, it } from 'vitest';
import { createDescribe } from '../../packages/gateway/src/describe/discovery.ts';
import { KNOWN_MINTS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { exampleOf, ofEachMethod, rowOf } from '../http/targets.ts';
import { isFull } from '../kit/rounds.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { challengeFrom, faultsOf, MAX_HEADER_LENGTH } from './checks.ts';
import { discoveryIn, startEverything } from './everything.ts';

const MAX_TARGET_LENGTH = 8192;
/** One row of each kind of challenge; all with ROUNDS=full. */
const each = ofEachMethod
  .filter(({ surface }, index) => isFull || (surface !== 'system' && index % 3 === 0))
  .map((route) => [route.id, route] as const);

const gateway = await stopAfterTests(startEverything());

const challengeOf = (route: Route, target?: string) => challengeFrom(gateway.url, route, target);

describe('path parameters in a challenge', () => {
  const pathParamsOf = async (path: string) => {
    const { required } = await challengeOf(rowOf('tokens.assetDetail'), path);
    expect(faultsOf(discoveryIn(required))).toEqual([]);
    return discoveryIn(required)?.info.input.pathParams;
  };

  it('are those of the request', async () => {
    expect(await pathParamsOf('/v1/x402/tokens/assets/gold')).toEqual({ assetId: 'gold' });
    expect(await pathParamsOf('/v1/x402/tokens/assets/%67old')).toEqual({ assetId: 'gold' });
  });

  it.each([':assetId', '-x', 'a%2fb', '%22%5c'])('are the example for %s', async (value) => {
    expect(await pathParamsOf(`/v1/x402/tokens/assets/${value}`)).toEqual({ assetId: 'solana' });
  });
});

describe('a header is at most 4,096 bytes', () => {
  // drop-order.test.ts gives what is left of the discovery to the official validators.
  async function expectShort(route: Route, targets: readonly string[]): Promise<void> {
    for (const target of targets)
      expect((await challengeOf(route, target)).header.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
  }

  it.each(each)('on %s, for a URL or a path of any length', async (_, route) => {
    const { target } = exampleOf(route);
    const joint = target.includes('?') ? '&' : '?';
    const lengths = [180, 230, 256, 300, MAX_TARGET_LENGTH].filter((length) => length > target.length + 2);
    await expectShort(
      route,
      lengths.map((length) => `${target}${joint}`.padEnd(length, 'x')),
    );
    const [before = '', after] = route.path.split(/:\w+/);
    const values = ['x'.repeat(100), 'x'.repeat(8000), '%e2%82%ac'.repeat(800)];
    if (after !== undefined)
      await expectShort(
        route,
        values.map((value) => before + value + after),
      );
  });

  it('with 50 real mints', async () => {
    const route = rowOf('tokens.variantMarkets');
    const mints = KNOWN_MINTS.slice(0, 50);
    expect(mints).toHaveLength(50);
    await expectShort(route, [exampleOf(route, { query: { mints } }).target]);
  });
});

it.each([
  ['is left out if x402 does not allow it', 'Gäteway', false],
  ['is left out if too long', 'x'.repeat(33), false],
  ['keeps its quotation marks', 'my "gateway"', true],
])('the name of the service %s: %s', (_, name, isNamed) => {
  const { resource } = createDescribe(rowOf('tokens.health'), { name, priceUsd: () => '0.00' })({});
  expect(isValidServiceName(name)).toBe(isNamed);
  expect(resource.serviceName).toBe(isNamed ? name : undefined);
});
