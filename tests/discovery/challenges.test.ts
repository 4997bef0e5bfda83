import { HEADERS, type Route } from '@asset-gateway/protocol';
import { type DiscoveryExtension, isValidServiceName, validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../packages/gateway/src/call.ts';
import { createDescribe, type Discovery } from '../../packages/gateway/src/describe/discovery.ts';
import { challenge } from '../../packages/gateway/src/gates/gate.ts';
import { KNOWN_MINTS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { exampleOf, ofEachMethod, rowOf } from '../http/targets.ts';
import { isFull } from '../kit/rounds.ts';
import { standIn } from '../kit/stand-in.ts';
import { challengeFrom, faultsOf, MAX_HEADER_LENGTH } from './checks.ts';
import { discoveryIn, startEverything } from './everything.ts';

const MAX_TARGET_LENGTH = 8192;
/** One row of each kind of challenge; all with ROUNDS=full. */
const each = ofEachMethod
  .filter(({ access }, index) => access !== 'public' && (isFull || index % 3 === 0))
  .map((route) => [route.id, route] as const);

const gateway = await startEverything();

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
  // Below, the official validators judge what is left of the discovery.
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

/** With more than this, a challenge does not fit even without discovery. */
const MAX_BESIDE = 2500;
/** What remains of the discovery, in order. */
const STAGES = ['example, prose, extension', 'prose, extension', 'extension', 'nothing'];

/** A challenge's header, and the parts of the discovery in it. */
function leftIn(header: string) {
  const { extensions } = JSON.parse(Buffer.from(header, 'base64').toString());
  const discovery: Discovery | undefined = extensions.bazaar;
  const prose = JSON.stringify(discovery?.schema ?? {}).includes('"description"');
  const parts = [discovery?.info.output && 'example', prose && 'prose', discovery && 'extension'];
  return { header, parts: parts.filter(Boolean).join(', ') || 'nothing' };
}

const ofEach = ofEachMethod.filter(({ access }) => access !== 'public');
const withExample = (row: Route): Route => ({ ...row, result: { ...row.result, example: { note: 'x'.repeat(200) } } });

/** The discovery in a challenge of a row with an example, by the bytes beside it. */
function leftBeside(id: string) {
  const route = withExample(rowOf(id));
  const describeRoute = createDescribe(route, { name: 'asset-gateway', priceUsd: () => '0.00' });
  const call = { ...standIn<Call>({ parameters: route.example.path as Call['parameters'] }), route };
  return (bytes: number) => {
    const extensions = { other: 'x'.repeat(bytes) };
    const demand = { code: 'payment_required', url: 'https://gateway.example/', accepts: [], extensions } as const;
    return leftIn(challenge(call, demand, describeRoute).headers[HEADERS.paymentRequired] ?? '');
  };
}

describe('a challenge that is too small for its discovery', () => {
  it.each(['tokens.search', 'tokens.assetDetail', 'wallet.mainnet.helius.history', 'rpc.mainnet.helius.getBalance'])(
    'drops the example, then the prose, then the rest, each only when the header is full, on %s',
    (id) => {
      const beside = leftBeside(id);
      const lefts = Array.from({ length: MAX_BESIDE }, (_, bytes) => beside(bytes));
      expect(Math.max(...lefts.map(({ header }) => header.length))).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
      const lasts = lefts.filter(({ parts }, bytes) => parts !== lefts[bytes + 1]?.parts);
      expect(lasts.map(({ parts }) => parts)).toEqual(STAGES);
      expect(lasts.slice(0, -1).map(({ header }) => header.length)).toEqual(Array(3).fill(MAX_HEADER_LENGTH));
    },
  );

  it.each(ofEach.map((row) => [row.id, row] as const))(
    'is valid to the official validator at any length: %s',
    (_, row) => {
      const route = withExample(row);
      const describeRoute = createDescribe(route, { name: 'asset-gateway', priceUsd: () => '0.00' });
      const { discoveries } = describeRoute({ assetId: 'gold' });
      // Those that no challenge has room for are left out.
      expect([2, 3, 4]).toContain(discoveries.length);
      // In short rounds one of the lengths, the next one for the next row: the validator compiles each schema for long.
      const turn = ofEach.indexOf(row) % discoveries.length;
      for (const discovery of isFull ? discoveries : discoveries.slice(turn, turn + 1))
        expect(validateDiscoveryExtension(discovery as DiscoveryExtension)).toEqual({ valid: true });
    },
  );
});
