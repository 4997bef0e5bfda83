import type { Route, Values } from '@asset-gateway/protocol';
import { isPaymentRequired } from '@x402/core/schemas';
import type { PaymentPayload } from '@x402/core/types';
import {
  type DiscoveryExtension,
  extractDiscoveryInfo,
  isValidServiceName,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar';
import { describe, expect, it } from 'vitest';
import type { Discovery } from '../../packages/gateway/src/describe/discovery.ts';
import { KNOWN_MINTS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { exampleOf } from '../http/targets.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { challengeIn, discoveryIn, served, startEverything } from './everything.ts';

const MAX_HEADER_LENGTH = 4096;
const MAX_TARGET_LENGTH = 8192;
const each = served.map((route) => [route.id, route] as const);

const gateway = await stopAfterTests(startEverything());

async function challengeOf(route: Route, target = exampleOf(route).target) {
  const response = await fetch(gateway.url + target, exampleOf(route).init);
  expect(response.status).toBe(402);
  return { ...challengeIn(response), body: (await response.json()) as Record<string, unknown> };
}

/** Faults by the official validators. */
function faultsOf(extension: unknown): string[] {
  const verdicts = [
    validateDiscoveryExtension(extension as DiscoveryExtension),
    validateDiscoveryExtensionSpec(extension as Record<string, unknown>),
  ];
  return verdicts.flatMap(({ errors = [] }) => errors);
}

const queryOf = (values: Values = {}): string =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString();

/** The request that a crawler builds from a challenge; tests/client/routes.test.ts shows that its example is answered. */
function requestOf(path: string, discovery: Discovery | undefined) {
  const { method, pathParams, queryParams, body } = (discovery?.info.input ?? {}) as Readonly<Record<string, Values>>;
  const filled = (discovery?.routeTemplate ?? path).replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(pathParams?.[name])),
  );
  const query = queryOf(queryParams);
  const json = {
    ...(body && { body: JSON.stringify(body) }),
    headers: body ? { 'Content-Type': 'application/json' } : {},
  };
  return { target: `${filled}${query && `?${query}`}`, init: { method, ...json } };
}

describe('the challenge of', () => {
  it.each(each)('%s describes the route in header and body, as the official validators want', async (_, route) => {
    const { header, required, body } = await challengeOf(route);
    expect(header.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
    expect(body).toMatchObject(JSON.parse(JSON.stringify(required)));
    expect(required.resource).toMatchObject({ description: route.description, serviceName: 'asset-gateway' });
    const extension = discoveryIn(required);
    expect(faultsOf(extension)).toEqual([]);
    expect(extension?.routeTemplate).toBe(route.input.path && route.path);
    const { target, init } = requestOf(route.path, extension);
    expect({ target: decodeURIComponent(target), init }).toEqual(exampleOf(route));
    if (route.access === 'siwx') return;
    expect(isPaymentRequired(required)).toBe(true);
    const payload = { ...required, accepted: required.accepts[0], payload: {} } as unknown as PaymentPayload;
    const found = extractDiscoveryInfo(payload, payload.accepted);
    expect(found).toMatchObject({ resourceUrl: `${gateway.url}${route.path}`, tags: ['solana', route.surface] });
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
