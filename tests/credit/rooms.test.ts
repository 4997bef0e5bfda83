import { HEADERS } from '@asset-gateway/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SellingGateway } from '../kit/selling-gateway.ts';
import { callOf, send } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import type { Example } from '../signin/examples.ts';
import { balanceOf, buyCredit, spendingHeader, startCreditGateway } from './gateway.ts';

const [WALLETS, CALLS] = [5, 8];
/** What docs/operating.md says of the calls in flight of a provider. */
const [OF_DEVNET, OF_WALLET] = [8, 4];

const DEVNET = callOf('rpc.devnet.helius.getBalance');
const MAINNET = callOf('rpc.mainnet.helius.getBalance');

let gateway: SellingGateway;
beforeAll(async () => {
  gateway = await startCreditGateway({}, { PAID_UPSTREAM_TIMEOUT_MS: '4000' });
}, 60_000);
afterAll(() => gateway.stop());

async function wallets(count: number, cluster: 'mainnet' | 'devnet'): Promise<Wallet[]> {
  const all = await Promise.all(Array.from({ length: count }, () => openWallet(gateway.solana)));
  for (const wallet of all) expect((await buyCredit(gateway, wallet, 50_000, cluster)).status).toBe(200);
  return all;
}

/** Headers that spend credit on this call, each once. */
async function headersFor(call: Example, all: readonly Wallet[], count: number): Promise<string[]> {
  const each = all.map((wallet) =>
    Promise.all(Array.from({ length: count }, () => spendingHeader(gateway, call, wallet.signIn))),
  );
  return (await Promise.all(each)).flat();
}

async function spendAll(call: Example, headers: readonly string[]) {
  return Promise.all(
    headers.map(async (header) => {
      const response = await send(gateway, call, { [HEADERS.signIn]: header });
      const { error } = (await response.json()) as { error?: string };
      return `${response.status} ${error ?? 'ok'}`;
    }),
  );
}

const countOf = (answers: readonly string[], answer: string): number =>
  answers.filter((each) => each === answer).length;

it('W7 slow devnet calls of five wallets leave mainnet its room: every mainnet call is answered', async () => {
  const { provider } = gateway.solana;
  const [poor, honest] = [await wallets(WALLETS, 'devnet'), await wallets(3, 'mainnet')];
  const flood = await headersFor(DEVNET, poor, CALLS);
  const bought = await headersFor(MAINNET, honest, 5);
  const before = provider.arrivals.length;
  provider.faults.hang = true;
  const slow = spendAll(DEVNET, flood);
  await until(() => provider.arrivals.length - before >= OF_DEVNET);
  provider.faults.reset();
  const fine = await spendAll(MAINNET, bought);
  expect(countOf(fine, '200 ok')).toBe(bought.length);
  const answers = await slow;
  expect(countOf(answers, '503 overloaded')).toBe(flood.length - OF_DEVNET);
  expect(provider.arrivals.length - before).toBe(OF_DEVNET + bought.length);
  for (const wallet of poor)
    expect(await balanceOf(gateway, wallet, 'devnet')).toMatchObject({ spentMicros: 0, heldMicros: 0 });
}, 120_000);

it('W7 a wallet holds at most a part of the room of devnet', async () => {
  const { provider } = gateway.solana;
  const all = await wallets(2, 'devnet');
  const [first, second] = [await headersFor(DEVNET, all.slice(0, 1), CALLS), await headersFor(DEVNET, all.slice(1), 1)];
  const before = provider.arrivals.length;
  provider.faults.hang = true;
  const slow = spendAll(DEVNET, first);
  await until(() => provider.arrivals.length - before >= OF_WALLET);
  provider.faults.reset();
  expect(await spendAll(DEVNET, second)).toEqual(['200 ok']);
  expect(countOf(await slow, '503 overloaded')).toBe(CALLS - OF_WALLET);
  expect(provider.arrivals.length - before).toBe(OF_WALLET + 1);
}, 60_000);
