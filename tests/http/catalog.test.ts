import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { expectInTable, expectRefusal, statusAndCode } from './error-table.ts';
import { gated } from './targets.ts';
import { seen, type WireAnswer } from './wire.ts';

interface Catalog {
  readonly catalog: { readonly totalRoutes: number; readonly returnedRoutes: number };
  readonly routes: readonly { readonly path: string; readonly httpMethod: string }[];
  readonly categories: { readonly providers: readonly { readonly id: string }[] };
  readonly payment?: object;
}

const endpoints = ({ routes: entries }: Pick<Catalog, 'routes'>) =>
  entries.map(({ httpMethod, path }) => `${httpMethod} ${path}`);
const SPECIFIED = endpoints({ routes: gated });

const gateway = await stopAfterTests(startTestGateway({ SERVICE_NAME: 'my "gateway"' }));

const ask = async (target: string): Promise<WireAnswer> => seen(await fetch(gateway.url + target));
const catalog = async (query = ''): Promise<Catalog> => JSON.parse((await ask(`/v1/catalog${query}`)).body);

describe('the catalog', () => {
  it('lists exactly the routes of the table, each free with a sign-in', async () => {
    const listed = await catalog();
    expect(endpoints(listed)).toEqual(SPECIFIED);
    expect(listed.catalog).toMatchObject({ totalRoutes: gated.length, returnedRoutes: gated.length });
    for (const entry of listed.routes) {
      expect(entry).toMatchObject({ accessMode: 'siwx', priceUsd: '0.00', provider: 'tokens' });
    }
    expect([listed.payment, listed.categories.providers.map(({ id }) => id)]).toEqual([undefined, ['tokens']]);
    expect(JSON.stringify(listed.routes)).not.toMatch(/paymentNetwork|paymentAsset|USDC/);
    expectInTable(await ask('/v1/catalog'));
  });

  it.each(['gateway', '', 'TOKENS', 'tokens,alchemy', 'tokens%20', 'constructor', '__proto__', 'x'.repeat(300)])(
    'refuses the provider %j',
    async (provider) => {
      const answer = await ask(`/v1/catalog?provider=${provider}`);
      expectRefusal(answer, '400 invalid_provider_filter');
      expect(JSON.parse(answer.body).issues).toHaveLength(1);
      if (provider.length > 8) expect(answer.body).not.toContain(`"${provider}"`);
    },
  );

  it('refuses a provider that comes twice', async () => {
    const answer = await ask('/v1/catalog?provider=tokens&provider=alchemy');
    expect(answer.status).toBe(400);
    expectInTable(answer);
  });

  it.each([
    'x=1',
    'Provider=tokens',
    'provider%5B%5D=tokens',
    'limit=1',
    '=',
    '%00=1',
    'a&b',
    'constructor=1',
    '__proto__=1',
  ])('refuses the unknown parameter %s', async (query) =>
    expectRefusal(await ask(`/v1/catalog?${query}`), '400 invalid_request'),
  );
});

describe('liveness', () => {
  it('is exactly the body of the specification', async () => {
    const answer = await ask('/healthz');
    expect(answer.body).toBe('{"ok":true,"service":"my \\"gateway\\"","status":"healthy"}');
    expectInTable(answer);
  });

  it('takes no parameter', async () => {
    expect(statusAndCode(await ask('/healthz?x=1'))).toBe('400 invalid_request');
  });

  it('and the documents are the only public routes', () => {
    expect(routes.filter(({ access }) => access === 'public').map(({ path }) => path)).toEqual([
      '/healthz',
      '/readyz',
      '/v1/catalog',
      '/openapi.json',
      '/.well-known/x402',
      '/llms.txt',
    ]);
  });
});
