import type { Route } from '@asset-gateway/protocol';
import { isValidServiceName } from '@x402/extensions/bazaar';
import { describe, expect, it } from 'vitest';
import { KNOWN_MINTS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { exampleOf } from '../http/targets.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { challengeFrom, expectChallenge, faultsOf, MAX_HEADER_LENGTH } from './checks.ts';
import { challengeIn, discoveryIn, served, startEverything } from './everything.ts';

const MAX_TARGET_LENGTH = 8192;
const each = served.map((route) => [route.id, route] as const);

const gateway = await stopAfterTests(startEverything());

const challengeOf = (route: Route, target?: string) => challengeFrom(gateway.url, route, target);

describe('the challenge of', () => {
  it.each(each)('%s describes the route in header and body, as the official validators want', async (_, route) => {
    await expectChallenge(gateway.url, route);
  });
});

describe('path parameters in a challenge', () => {
  const [assetDetail] = served.filter(({ id }) => id === 'tokens.assetDetail');
  const pathParamsOf = async (path: string) => {
    const { required } = await challengeOf(assetDetail as Route, path);
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
  const LENGTHS = [180, 230, 256, 300, MAX_TARGET_LENGTH];

  async function expectShort(route: Route, target: string): Promise<void> {
    // drop-order.test.ts gives what is left of the discovery to the official validators.
    expect((await challengeOf(route, target)).header.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
  }

  const withId = each.filter(([, { path }]) => path.includes(':'));

  it.each(each)('on %s, for a URL of any length', async (_, route) => {
    const { target } = exampleOf(route);
    const joint = target.includes('?') ? '&' : '?';
    for (const length of LENGTHS.filter((each) => each > target.length + 2))
      await expectShort(route, `${target}${joint}`.padEnd(length, 'x'));
  });

  it.each(withId)('on %s, for a path of any length', async (_, route) => {
    const [before = '', after = ''] = route.path.split(/:\w+/);
    for (const value of ['x'.repeat(100), 'x'.repeat(8000), '%e2%82%ac'.repeat(800)])
      await expectShort(route, before + value + after);
  });

  it('with 50 real mints', async () => {
    const route = served.find(({ id }) => id === 'tokens.variantMarkets') as Route;
    const mints = KNOWN_MINTS.slice(0, 50);
    expect(mints).toHaveLength(50);
    await expectShort(route, exampleOf(route, { query: { mints } }).target);
  });
});

describe('the name of the service', () => {
  it.each([
    ['is left out if x402 does not allow it', 'Gäteway', false],
    ['is left out if too long', 'x'.repeat(33), false],
    ['keeps its quotation marks', 'my "gateway"', true],
  ])('%s: %s', async (_, name, isNamed) => {
    const other = await startEverything({ SERVICE_NAME: name });
    const { required } = challengeIn(await fetch(`${other.url}/v1/x402/tokens/health`));
    await other.stop();
    expect(isValidServiceName(name)).toBe(isNamed);
    expect(required.resource.serviceName).toBe(isNamed ? name : undefined);
  });
});
