import { describe, expect, it } from 'vitest';
import { everyThird } from '../kit/rounds.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { requestOf, signedRoutes } from '../parameters/requests.ts';
import { Caller, refusedForFree, TOKENS } from './caller.ts';
import { send } from './exchange.ts';

const gateway = await stopAfterTests(startTestGateway({}, { windowMs: 3_600_000 }));

const MINT = 'So11111111111111111111111111111111111111112';

/** Asset ids that lead elsewhere, or that no upstream may see. */
const HOSTILE_IDS = [
  ...(String.raw`
    . .. ... .... %2e %2E %2e%2e %2E%2E .%2e %2e. %252e%252e %252e %25252e%25252e
    ..%2f..%2fwhoami ..%2F..%2Fwhoami %2e%2e%2f%2e%2e%2fwhoami ..%5c ..%5c..%5cwhoami ..\..\whoami %5c \
    ../whoami ../../whoami ../../../v1/whoami ./whoami solana/../../whoami solana/..%2f..%2fwhoami a/b a%2fb %2f %2fwhoami
    ; solana;x ;/../whoami solana;jsessionid=1 %3b %00 solana%00 %00solana %0a %0d%0a solana%0aHost:%20evil
    %09 %20 solana%20 %20solana %7f %c2%85 %3f solana%3fmint=x %23 solana%23x %26
    @ @evil.test evil.test@ :80 %40evil.test * $ ! ~ -a _a .a ' ( , + = &
    % %2 %zz %u002e %c0%ae%c0%ae %c0%af %ff %ed%a0%80 %f0%9f%a6%84 %e2%80%ae %ef%bc%8e
    {id} <x> "x" | ^ [x] %5bx%5d / // //evil.test
  `.match(/\S+/g) ?? []),
  ...['', '`', '％2e', 'ü', '٣', '．．', 'x'.repeat(129), 'x'.repeat(1000), '%61'.repeat(129), 'x'.repeat(10_240)],
  ...['../'.repeat(3_400), '%2e%2e%2f'.repeat(1_200), `solana-${MINT}/../x`, `solana-${MINT}%2f..%2fx`],
  ...[`solana-${MINT}%00`, `solana-${MINT};x=1`, `${MINT}%0d%0aX-Evil:%201`],
];

const withId = signedRoutes.filter(({ path }) => path.includes(':assetId'));
const TYPES: readonly (string | undefined)[] = ['invalid_request', 'bad_request', 'not_found', 'uri_too_long'];

it('finds the 12 routes that it is about', () => expect(withId).toHaveLength(12));

describe.each(withId.map((route) => [route.path, route] as const))('U15 %s', (path, route) => {
  const ids = everyThird(HOSTILE_IDS, withId.indexOf(route));
  const asks = ids.map((id) => ({ target: path.replace(':assetId', id) }));

  it('refuses hostile asset ids without an upstream call', async () => {
    await refusedForFree(gateway, asks, ({ status, json }, { target }) => {
      expect([400, 404, 414], target).toContain(status);
      expect(TYPES, target).toContain(json.error);
    });
  });
});

it('U15 hostile paths are refused without a sign-in too', async () => {
  const before = gateway.upstream.arrivals.length;
  for (const id of HOSTILE_IDS) {
    const { status } = await send(gateway, { target: `${TOKENS}/assets/${id}/variants` });
    expect([400, 402, 404, 414], id).toContain(status);
  }
  expect(gateway.upstream.arrivals.length).toBe(before);
});

it('U15 the upstream gets known paths only', async () => {
  const caller = new Caller(gateway);
  for (const route of signedRoutes) await caller.ask(requestOf(route));
  const paths = gateway.upstream.arrivals.map(({ target }) => target.split('?')[0]);
  const known =
    /^\/v1\/(?:health|assets\/(?:search|resolve|curated|market-snapshots|variant-markets|risk-summary|solana(?:\/[a-z-]+)?))$/;
  expect(paths.length).toBeGreaterThan(signedRoutes.length);
  for (const path of paths) expect(path).toMatch(known);
  expect(gateway.upstream.arrivals.filter(({ target }) => target.includes('whoami'))).toEqual([]);
});
