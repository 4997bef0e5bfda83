import { createClient, signIn } from '@asset-gateway/client';
import { HEADERS, mostMicrosOf, spendStatement } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statementRefusal } from '../../packages/gateway/src/gates/credit.ts';
import { writeDocument } from '../apis/document-files.ts';
import type { Example } from '../http/targets.ts';
import { makeFolder } from '../kit/folder.ts';
import { DEFAULT_PRICES, type SellingGateway, startChains } from '../kit/test-gateway.ts';
import { challengeFor } from '../kit/wallet.ts';
import { bodyOf, callOf, leaves, leavesNoTrace, send, sendPaid } from '../payments/calls.ts';
import type { Wallet } from '../payments/wallets.ts';
import { balanceOf, openCreditedWallet, paymentOf, spend, spendingHeader, startCreditGateway } from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const [LIST, FEE, RISEN, BUNDLE] = [5, 4_000, 20_005, 50_000];
const RISE = { APIS_FILE: writeDocument({ rpc: { price: '0.020005' } }) };

const solana = await startChains();

/** Starts a gateway; its `at` starts it again at the same place with the same books, at the old price or at the risen one. */
async function openGateway() {
  const dataDir = makeFolder();
  let current: SellingGateway = await startCreditGateway({ solana, dataDir }, DEFAULT_PRICES);
  const again = async (variables: Readonly<Record<string, string>>) => {
    await current.stop();
    const PORT = String(current.port);
    current = await startCreditGateway({ solana, dataDir }, { ...DEFAULT_PRICES, PORT, ...variables });
    return current;
  };
  return { first: current, atRisenPrice: () => again(RISE), atOldPrice: () => again({}) };
}

/** Expects that a request gets a 402 with a fresh challenge for the risen price, and uses nothing up. */
async function expectRefused(gateway: SellingGateway, wallet: Wallet, request: () => Promise<Response>) {
  const before = await balanceOf(gateway, wallet);
  const response = await leavesNoTrace(gateway, request);
  const body = await bodyOf(response);
  const accepts = (body.accepts ?? []) as { amount: string; extra: { creditPriceUsd?: string } }[];
  expect([response.status, body.error, body.payment]).toEqual([402, 'no_matching_requirements', { state: 'unused' }]);
  const asked = accepts.map(({ amount, extra }) => `${amount} ${extra.creditPriceUsd}`);
  expect(asked).toEqual([`${RISEN} 0.020005`, `${BUNDLE} undefined`]);
  expect(await balanceOf(gateway, wallet)).toEqual(before);
  return body as typeof body & { readonly extensions: unknown };
}

/** Signs a challenge of the gateway with another statement. */
async function signedWith(gateway: SellingGateway, { target, init }: Example, wallet: Wallet, statement?: string) {
  const url = gateway.url + target;
  const { info, ...rest } = await challengeFor(url, { ...init, headers: { ...init.headers, Prefer: 'credit' } });
  const { statement: _, ...others } = info;
  const changed = { ...others, ...(statement !== undefined && { statement }) } as typeof info;
  return { [HEADERS.signIn]: await signIn({ ...rest, info: changed }, wallet.signIn, new URL(url)) };
}

describe('X9 the signed price is the most that is charged', () => {
  it('after a rise of the price a signature gets a fresh challenge, and its nonce stays unused', async () => {
    const { first, atRisenPrice, atOldPrice } = await openGateway();
    const wallet = await openCreditedWallet(first);
    const signed = { [HEADERS.signIn]: await spendingHeader(first, call, wallet.signIn) };
    const risen = await atRisenPrice();
    const body = await expectRefused(risen, wallet, () => send(risen, call, signed));
    expect(JSON.stringify(body.extensions)).toContain('Spend 0.020005 USD of your credit on this call.');
    const paid = await leaves(risen, { transfers: 0, arrivals: 1 }, () => spend(risen, call, wallet.signIn));
    expect(paid.headers.get(HEADERS.credit)).toBe(`charged=${RISEN}, balance=${BUNDLE - RISEN}`);
    const old = await atOldPrice();
    const late = await leaves(old, { transfers: 0, arrivals: 1 }, () => send(old, call, signed));
    expect(late.headers.get(HEADERS.credit)).toBe(`charged=${LIST}, balance=${BUNDLE - RISEN - LIST}`);
  });

  it('a signature that was charged at the old price still gets its answer', async () => {
    const { first, atRisenPrice } = await openGateway();
    const wallet = await openCreditedWallet(first);
    const signed = { [HEADERS.signIn]: await spendingHeader(first, call, wallet.signIn) };
    expect((await send(first, call, signed)).status).toBe(200);
    const risen = await atRisenPrice();
    const again = await leavesNoTrace(risen, () => send(risen, call, signed));
    expect([again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
    expect(await balanceOf(risen, wallet)).toMatchObject({ spentMicros: LIST, heldMicros: 0 });
  });

  it.each([
    ['a payment for one call', LIST + FEE],
    ['a payment for a bundle', BUNDLE],
  ])('after a rise of the price %s is not covered, and stays unused', async (_, amount) => {
    const { first, atRisenPrice, atOldPrice } = await openGateway();
    const wallet = await openCreditedWallet(first);
    const payment = await paymentOf(first, call, wallet, amount);
    const risen = await atRisenPrice();
    await expectRefused(risen, wallet, () => sendPaid(risen, call, payment));
    const old = await atOldPrice();
    const covered = await leaves(old, { transfers: 0, arrivals: 1 }, () => sendPaid(old, call, payment));
    const charged = `charged=${LIST}, balance=${BUNDLE - LIST}`;
    expect([covered.status, covered.headers.get(HEADERS.credit)]).toEqual([200, charged]);
  });

  it('a covered payment that was answered before still gets its answer', async () => {
    const { first, atRisenPrice } = await openGateway();
    const wallet = await openCreditedWallet(first);
    const payment = await paymentOf(first, call, wallet, LIST + FEE);
    expect((await sendPaid(first, call, payment)).status).toBe(200);
    const risen = await atRisenPrice();
    const again = await leavesNoTrace(risen, () => sendPaid(risen, call, payment));
    expect([again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
  });

  it('our client signs the last price, and after a rise signs again only within its cap', async () => {
    const { first, atRisenPrice } = await openGateway();
    const wallet = await openCreditedWallet(first);
    const texts: string[] = [];
    const signMessage = (message: Uint8Array) => {
      texts.push(new TextDecoder().decode(message));
      return wallet.signIn.signMessage(message);
    };
    const client = createClient({ baseUrl: first.url, signer: { address: wallet.address, signMessage } });
    const [account = ''] = JSON.parse(String(call.init.body)).params as string[];
    for (let count = 0; count < 2; count++) await client.rpc.getBalance(account);
    const risen = await atRisenPrice();
    const cheap = client.with({ maxUsd: 0.001 }).rpc.getBalance(account);
    await expect(cheap).rejects.toMatchObject({ code: 'spending_limit' });
    expect(await balanceOf(risen, wallet)).toMatchObject({ spentMicros: 2 * LIST, heldMicros: 0 });
    const { credit } = await client.rpc.getBalance(account).full();
    expect(credit).toEqual({ chargedMicros: RISEN, balanceMicros: BUNDLE - 2 * LIST - RISEN });
    const amounts = texts.map((text) => /^Spend (\S+) USD/m.exec(text)?.[1]);
    expect(amounts).toEqual(['0.000005', '0.000005', '0.000005', '0.020005']);
  });
});

describe('X9 a statement that the client wrote itself', async () => {
  const gateway = await startCreditGateway({ solana });
  const wallet = await openCreditedWallet(gateway);

  it.each([
    undefined,
    'Sign in with your wallet. This is free and moves no money.',
    'Spend 0.000004 USD of your credit on this call.',
    'Spend 5e-6 USD',
    'Spend -1 USD',
    'Spend 1',
    'Spend 1 EUR',
    'Spend 1 USDC',
    'Spend 1.2.3 USD',
    'Spend 0.0000051 USD',
    'Spend  1 USD',
    'Please Spend 1 USD',
  ])('%j spends nothing, and uses nothing up', async (statement) => {
    const signed = await signedWith(gateway, call, wallet, statement);
    const before = await balanceOf(gateway, wallet);
    for (let time = 0; time < 2; time++) {
      const response = await leavesNoTrace(gateway, () => send(gateway, call, signed));
      const body = await bodyOf(response);
      expect([response.status, body.error]).toEqual([402, 'no_matching_requirements']);
      expect(JSON.stringify(body)).toContain('Spend 0.000005 USD of your credit');
    }
    expect(await balanceOf(gateway, wallet)).toEqual(before);
  });

  it.each(['Spend 0.000005 USD', 'Spend 0.01 USD at most', 'Spend 3 USD for all that I care'])(
    '%j is charged the price, not the amount that it names',
    async (statement) => {
      const signed = await signedWith(gateway, call, wallet, statement);
      const response = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => send(gateway, call, signed));
      expect(response.headers.get(HEADERS.credit)).toMatch(/^charged=5, /);
    },
  );

  it.each([undefined, '', 'Spend', 'Spend 0.000000 USD'])('%j spends nothing at the lowest price', (statement) => {
    expect(statementRefusal(statement, 1)).toMatchObject({ code: 'no_matching_requirements' });
    expect(statementRefusal(spendStatement(1), 1)).toBeUndefined();
  });

  it('is read exactly', () => {
    const check = (micros: number) => mostMicrosOf(spendStatement(micros)) === micros;
    fc.assert(fc.property(fc.nat(2_000_000_000), check));
    expect(mostMicrosOf('Spend 999999999.999999 USD')).toBe(999_999_999_999_999);
  });
});
