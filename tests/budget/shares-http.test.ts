import { expect } from 'vitest';
import { expectRefusal } from '../http/error-table.ts';
import { seen } from '../http/wire.ts';
import { testInCi } from '../kit/optional.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';
import { callOf } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';

const shared = { FAIR_SHARES: 'on', TRUST_PROXY: '127.0.0.0/8', TOKENS_RATE_LIMIT_PER_MINUTE: '30', METRICS_PORT: '0' };
// A window longer than any test takes.
const gateway = await startTestGateway(
  { ...shared, PRICE_SURCHARGE_USD_MICROS: '10000' },
  { windowMs: 600_000, paid: true },
);

const ask = (address: string, signer = newSigner()) =>
  askSigned(`${gateway.url}/v1/x402/tokens/assets/solana`, { headers: { 'X-Forwarded-For': address } }, signer);
const callsSeen = () => gateway.upstream.arrivals.length;

/** Log lines that say whose share was used up. */
const sharesLogged = () =>
  gateway.logLines.map((line) => JSON.parse(line).share).filter((share) => share !== undefined);

testInCi(
  'W4 with FAIR_SHARES=on a wallet that has paid one cent on mainnet, not on devnet, is served where fifty addresses have taken all',
  { timeout: 120_000 },
  async () => {
    if (!gateway.solana) throw new Error('nothing is sold');
    const wallet = await openWallet(gateway.solana);
    const buy = async (cluster: 'mainnet' | 'devnet') => {
      const { target, init } = callOf(`rpc.${cluster}.helius.getBalance`);
      expect((await wallet.buy(gateway.url + target, init)).status).toBe(200);
      expect(gateway.solana?.[cluster].transfers).toHaveLength(1);
    };
    await buy('devnet');
    await Promise.all(Array.from({ length: 50 }, (_, index) => ask(`10.0.${index}.1`)));
    const before = callsSeen();
    const refused = await seen(await ask('10.0.0.1', wallet.signIn));
    expectRefusal(refused, '429 rate_limited');
    expect(JSON.parse(refused.body).scope).toBe('group');
    expect(callsSeen()).toBe(before);
    await buy('mainnet');
    expect((await ask('10.0.0.1', wallet.signIn)).status).toBe(200);
    expect((await ask('10.0.0.1')).status).toBe(429);
    const scraped = await scrape(gateway.gateway);
    const [slots, refusals] = ['asset_gateway_slots_total', 'asset_gateway_share_refusals_total'];
    expect(scraped.sum(slots, { group: 'address' })).toBe(callsSeen() - 1);
    expect(scraped.sum(slots, { group: 'paid' })).toBe(1);
    expect(scraped.sum(refusals, { scope: 'group' })).toBe(sharesLogged().length);
    const { components } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      components: { schemas: { Error: { properties: { scope?: { enum: string[] } } } } };
    };
    expect(components.schemas.Error.properties.scope?.enum).toEqual(['group', 'wallet']);
  },
);
