import { routes } from '@asset-gateway/protocol';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { createSIWxClientHook, type SIWxSigner } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KNOWN_MINTS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { sendRaw } from '../kit/raw.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { statusOf } from '../signin/craft.ts';
import { type Example, exampleOf } from '../signin/examples.ts';

const signInRoutes = routes.filter(({ access }) => access === 'siwx');
const rowOf = (method: string) => {
  const row = signInRoutes.find((each) => each.method === method);
  if (!row) throw new Error(`no row ${method}`);
  return row;
};

let gateway: TestGateway;
let signer: KeyPairSigner;
let sent = 0;
let official: typeof fetch;

beforeAll(async () => {
  gateway = await startTestGateway({}, { windowMs: 3_600_000 });
  signer = await generateKeyPairSigner();
  const client = new x402HTTPClient(new x402Client()).onPaymentRequired(
    createSIWxClientHook(signer as unknown as SIWxSigner),
  );
  const counted: typeof fetch = (...parts) => {
    sent++;
    return fetch(...parts);
  };
  official = wrapFetchWithPayment(counted, client) as typeof fetch;
});
afterAll(() => gateway.stop());

/** Asks with the official client and shows one answer for one signature and one upstream call. */
async function opens(method: string, { target, init }: Example): Promise<void> {
  const arrivals = gateway.upstream.arrivals.length;
  sent = 0;
  const response = await official(`${gateway.url}${target}`, init);
  const body = (await response.json()) as Record<string, unknown>;
  expect([response.status, body.ok, body.provider, body.method]).toEqual([200, true, 'tokens', method]);
  expect(Object.keys(body)).toEqual(['ok', 'provider', 'surface', 'method', 'result']);
  expect(sent).toBe(2);
  expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
  expect(gateway.logLines.at(-1)).toContain(signer.address);
}

describe('the official client is served', () => {
  it('on 19 routes, which are all that there are', () => expect(signInRoutes).toHaveLength(19));

  it.each(signInRoutes.map((row) => [row.method, row] as const))('at %s', async (method, row) => {
    await opens(method, exampleOf(row));
  });

  it('at variant-markets with 50 mints', async () => {
    const mints = KNOWN_MINTS.slice(0, 50);
    expect(mints).toHaveLength(50);
    await opens('variantMarkets', exampleOf(rowOf('variantMarkets'), { query: { mints } }));
    await opens('variantMarkets', exampleOf(rowOf('variantMarkets'), { query: { addresses: mints } }));
  });

  it('at market-snapshots with 250 mints', async () => {
    const body = { mints: Array.from({ length: 250 }, (_, index) => KNOWN_MINTS[index % KNOWN_MINTS.length]) };
    await opens('marketSnapshots', exampleOf(rowOf('marketSnapshots'), { body }));
  });

  it('at the detail of solana-<mint> with all eight parameters', async () => {
    const [mint = ''] = KNOWN_MINTS;
    const query = {
      include: ['profile', 'risk', 'ohlcv', 'markets'],
      mint,
      variantsMode: 'all',
      ohlcvInterval: '1H',
      ohlcvFrom: 1_790_000_000,
      ohlcvTo: 1_790_086_400,
      marketsOffset: 0,
      marketsLimit: 10,
    };
    expect(Object.keys(query).sort()).toEqual(Object.keys(rowOf('assetDetail').input.query?.properties ?? {}).sort());
    await opens('assetDetail', exampleOf(rowOf('assetDetail'), { path: { assetId: `solana-${mint}` }, query }));
  });

  it('by another name of this machine', async () => {
    expect(await statusOf(official(`http://localhost:${gateway.port}/v1/x402/tokens/health`))).toBe(200);
  });
});

describe('a challenge is at most 4,096 bytes', () => {
  const challengeSize = async (target: string, init: RequestInit = {}): Promise<number> => {
    const response = await fetch(`${gateway.url}${target}`, init);
    expect(await statusOf(response)).toBe(402);
    return (response.headers.get('payment-required') ?? '').length;
  };

  it.each(signInRoutes.map((row, at) => [row.method, row, at] as const))(
    'at %s, with its example or a long query',
    async (_, row, at) => {
      const { target, init } = exampleOf(row);
      const [path = ''] = target.split('?');
      const lengths = [0, 100, 200, 250, 300, 1000, 4000, 8000];
      // In a short run two for each row, in turns.
      for (const length of lengths.filter((_, index) => isFull || index % 4 === at % 4)) {
        const size = await challengeSize(length === 0 ? target : `${path}?q=${'x'.repeat(length)}`, init);
        expect(size).toBeGreaterThan(1000);
        expect(size).toBeLessThanOrEqual(4096);
      }
    },
  );

  it('with 50 mints, an asset id of 8,000 characters, or a URL of exactly 8 KiB', async () => {
    const { target } = exampleOf(rowOf('variantMarkets'), { query: { mints: KNOWN_MINTS.slice(0, 50) } });
    const paths = [target, `/v1/x402/tokens/assets/${'x'.repeat(8000)}`, '/v1/x402/tokens/health?'.padEnd(8192, 'x')];
    for (const path of paths) expect(await challengeSize(path)).toBeLessThanOrEqual(4096);
  });

  it('with a query that doubles in JSON', async () => {
    for (const character of ['"', '\\']) {
      const line = `GET /v1/x402/tokens/health?${character.repeat(180)} HTTP/1.1`;
      const raw = await sendRaw(
        gateway.port,
        `${line}\r\nHost: 127.0.0.1:${gateway.port}\r\nConnection: close\r\n\r\n`,
      );
      const header = /payment-required: (\S+)/i.exec(raw)?.[1] ?? '';
      expect(Buffer.from(header, 'base64').toString()).toContain(`\\${character}`.repeat(180));
      expect(header.length).toBeLessThanOrEqual(4096);
    }
  });
});
