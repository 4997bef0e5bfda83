import { HEADERS } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { withBothDatabases } from '../kit/databases.ts';
import type { SellingGateway } from '../kit/selling-gateway.ts';
import { type Body, callOf, send } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { balanceOf, buyCredit, spendingHeader, startCreditGateway } from './gateway.ts';

const [CHARGES, CONNECTIONS] = [20, 16];
const PRICE = 5;
const CALL = callOf('rpc.mainnet.helius.getBalance');

/** Sends the same request until it is answered. Answers the text, and any refusal that does not ask to wait. */
async function sendUntilAnswered(gateway: SellingGateway, header: string): Promise<readonly [string, string[]]> {
  const others: string[] = [];
  for (;;) {
    const response = await send(gateway, CALL, { [HEADERS.signIn]: header });
    const { result, error } = (await response.json()) as Body & { readonly result?: unknown };
    if (response.status === 200) return [JSON.stringify(result), others];
    // On a busy machine a reply of PostgreSQL may be late.
    const isLate = error === 'state_unavailable' || error === 'settlement_pending';
    if (error !== 'payment_in_progress' && !isLate) others.push(`${response.status} ${error}`);
    if (others.length > 0) return ['', others];
  }
}

/** Asks for one charge from many connections at once until all have its answer. */
async function chargeOnce(gateway: SellingGateway, wallet: Wallet) {
  const { provider } = gateway.solana;
  const header = await spendingHeader(gateway, CALL, wallet.signIn);
  const before = provider.arrivals.length;
  const answers = await Promise.all(Array.from({ length: CONNECTIONS }, () => sendUntilAnswered(gateway, header)));
  return {
    calls: provider.arrivals.length - before,
    texts: new Set(answers.map(([text]) => text)).size,
    refusals: answers.flatMap(([, others]) => others),
  };
}

async function expectOneCallEach(gateway: SellingGateway): Promise<void> {
  const wallet = await openWallet(gateway.solana);
  expect((await buyCredit(gateway, wallet)).status).toBe(200);
  for (let charge = 0; charge < CHARGES; charge++) {
    const told = await chargeOnce(gateway, wallet);
    expect([charge, told]).toEqual([charge, { calls: 1, texts: 1, refusals: [] }]);
  }
  expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: CHARGES * PRICE, heldMicros: 0 });
}

withBothDatabases('a signature that comes from 16 connections at once', (variables) => {
  it('W5 costs one charge and one upstream call, and brings one text', async () => {
    const gateway = await startCreditGateway({}, variables());
    await expectOneCallEach(gateway).finally(() => gateway.stop());
  }, 60_000);
});
