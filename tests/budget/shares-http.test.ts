import type { Environment } from '@asset-gateway/gateway';
import { afterEach, expect, it } from 'vitest';
import { expectRefusal } from '../http/error-table.ts';
import { seen } from '../http/wire.ts';
import { suiteInCi } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../kit/test-gateway.ts';
import { askSigned, newSigner } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';
import { callOf } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';

const SHARED = { FAIR_SHARES: 'on', TRUST_PROXY: '127.0.0.0/8', TOKENS_RATE_LIMIT_PER_MINUTE: '30', METRICS_PORT: '0' };
/** Longer than any test takes. */
const WINDOW_MS = 600_000;
const ASSETS = '/v1/x402/tokens/assets';
const WALLETS = isFull ? 1_000 : 60;

let gateway: TestGateway;
afterEach(() => gateway.stop());

async function start(variables: Environment = {}, options: TestGatewayOptions = {}): Promise<void> {
  gateway = await startTestGateway({ ...SHARED, ...variables }, { windowMs: WINDOW_MS, ...options });
}

type Signer = ReturnType<typeof newSigner>;

const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const ask = (address: string, signer: Signer = newSigner(), path = '/solana') =>
  askSigned(gateway.url + ASSETS + path, from(address), signer);
const served = (answers: readonly Response[]) => answers.filter(({ status }) => status === 200).length;
const bodyOf = async (answer: Response | undefined) => (await answer?.json()) as Record<string, unknown>;
const callsSeen = () => gateway.upstream.arrivals.length;

async function askMany(count: number, addressOf: (index: number) => string): Promise<Response[]> {
  const answers: Response[] = [];
  while (answers.length < count) {
    const turn = Array.from({ length: Math.min(100, count - answers.length) }, (_, index) => answers.length + index);
    answers.push(...(await Promise.all(turn.map((index) => ask(addressOf(index))))));
  }
  return answers;
}

/** Log lines that say whose share was used up. */
const sharesLogged = () =>
  gateway.logLines.map((line) => JSON.parse(line).share).filter((share) => share !== undefined);

suiteInCi('with FAIR_SHARES=on', { timeout: 120_000 }, () => {
  it(`${WALLETS} wallets of one address get 24 of 30 slots, and each neighbour is served`, async () => {
    await start();
    const answers = await askMany(WALLETS, (index) => `203.0.113.${index % 250}`);
    expect(served(answers)).toBe(24);
    expect(callsSeen()).toBe(24);
    expect(sharesLogged()).toEqual(Array<string>(WALLETS - 24).fill('group'));
    const refused = answers.find(({ status }) => status === 429);
    const body = await bodyOf(refused);
    expect(body).toMatchObject({ error: 'rate_limited', scope: 'group', retryAfterSeconds: expect.any(Number) });
    expect(Number(refused?.headers.get('retry-after'))).toBe(body.retryAfterSeconds);
    const { components } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      components: { schemas: { Error: { properties: { scope?: { enum: string[] } } } } };
    };
    expect(components.schemas.Error.properties.scope?.enum).toEqual(['group', 'wallet']);
    for (const address of ['203.0.114.1', '2001:db8:1::1', '2001:db8:2::1', '::ffff:192.0.2.1']) {
      expect((await ask(address)).status).toBe(200);
    }
  });

  it('W4 a wallet that has paid one cent on mainnet, not on devnet, is served where fifty addresses have taken all', async () => {
    await start({ PRICE_SURCHARGE_USD_MICROS: '10000' }, { paid: true });
    if (!gateway.solana) throw new Error('nothing is sold');
    const wallet = await openWallet(gateway.solana);
    const buy = async (cluster: 'mainnet' | 'devnet') => {
      const { target, init } = callOf(`rpc.${cluster}.helius.getBalance`);
      expect((await wallet.buy(gateway.url + target, init)).status).toBe(200);
      expect(gateway.solana?.[cluster].transfers).toHaveLength(1);
    };
    await buy('devnet');
    await askMany(50, (index) => `10.0.${index}.1`);
    const before = callsSeen();
    expectRefusal(await seen(await ask('10.0.0.1', wallet.signIn)), '429 rate_limited');
    expect(callsSeen()).toBe(before);
    await buy('mainnet');
    expect((await ask('10.0.0.1', wallet.signIn)).status).toBe(200);
    expect((await ask('10.0.0.1')).status).toBe(429);
    const scraped = await scrape(gateway.gateway);
    const [slots, refusals] = ['asset_gateway_slots_total', 'asset_gateway_share_refusals_total'];
    expect(scraped.sum(slots, { group: 'address' })).toBe(callsSeen() - 1);
    expect(scraped.sum(slots, { group: 'paid' })).toBe(1);
    expect(scraped.sum(refusals, { scope: 'group' })).toBe(sharesLogged().length);
  });
});
