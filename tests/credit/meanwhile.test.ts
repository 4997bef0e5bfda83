import { HEADERS } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Accounts } from '../../packages/gateway/src/credit/accounts.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { asVersion1, bodyOf, callOf, headerOf, leaves, send, sendPaid } from '../payments/calls.ts';
import type { Wallet } from '../payments/wallets.ts';
import { balanceOf, openCreditedWallet, paymentOf, spendingHeader, startCreditGateway } from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const [PRICE, BUNDLE] = [5, 50_000];
const CHARGED = `charged=${PRICE}, balance=${BUNDLE - PRICE}`;
const EXPIRED = { outcome: 'refused', reason: 'expired' } as const;
const gateway = await startCreditGateway();
const { mainnet, provider } = gateway.solana;

afterEach(() => {
  vi.restoreAllMocks();
  mainnet.faults.reset();
  provider.faults.reset();
});

/** Runs a task once, before the next call of a method. */
function before<Name extends 'find' | 'look'>(name: Name, task: (payments: Payments) => Promise<unknown>): void {
  const method = Payments.prototype[name] as (...values: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(Payments.prototype, name) as unknown as ReturnType<typeof vi.fn>;
  spy.mockImplementationOnce(async function (this: Payments, ...values: unknown[]) {
    await task(this);
    return method.apply(this, values);
  });
}

describe('a price that is held while the upstream is slow', () => {
  it.each<[string, (wallet: Wallet) => Promise<Record<string, string>>]>([
    ['signature', async (wallet) => ({ [HEADERS.signIn]: await spendingHeader(gateway, call, wallet.signIn) })],
    [
      'covered payment',
      async (wallet) => ({ [HEADERS.payment]: headerOf(await paymentOf(gateway, call, wallet, PRICE)) }),
    ],
  ])('W5 stays held for as long as that may take: a copy of its %s causes no second call', async (_, sign) => {
    const wallet = await openCreditedWallet(gateway);
    const signed = await sign(wallet);
    const copies: unknown[] = [];
    const { capture, now } = Accounts.prototype;
    vi.spyOn(Accounts.prototype, 'capture').mockImplementationOnce(async function (this: Accounts, debit, answer) {
      vi.spyOn(Accounts.prototype, 'now').mockImplementation(function (this: Accounts) {
        return now.call(this) + TIMES.leastHoldMs + 1_000;
      });
      const copy = await send(gateway, call, signed);
      copies.push(copy.status, (await bodyOf(copy)).error);
      return capture.call(this, debit, answer);
    });
    const answer = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => send(gateway, call, signed));
    expect([answer.status, answer.headers.get(HEADERS.credit)]).toEqual([200, CHARGED]);
    expect(copies).toEqual([409, 'payment_in_progress']);
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: PRICE, heldMicros: 0 });
  });
});

it('W5 a refusal because of the database does not wait until the held price is released', async () => {
  const wallet = await openCreditedWallet(gateway);
  const signed = { [HEADERS.signIn]: await spendingHeader(gateway, call, wallet.signIn) };
  vi.spyOn(Accounts.prototype, 'capture').mockRejectedValueOnce(new Error('ENOSPC'));
  const released = vi.spyOn(Accounts.prototype, 'release').mockReturnValueOnce(new Promise(() => undefined));
  const refused = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => send(gateway, call, signed));
  const { error, payment } = await bodyOf(refused);
  expect([refused.status, error, payment?.state]).toEqual([503, 'state_unavailable', 'pending']);
  expect(released).toHaveBeenCalledOnce();
  expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 0, heldMicros: PRICE });
});

describe('a signature for the request of a payment whose outcome is unknown', () => {
  /** A wallet with credit. It has sent a payment without a ticket, which credit does not cover and which never lands. */
  async function openUndecided() {
    const wallet = await openCreditedWallet(gateway);
    Object.assign(mainnet.faults, { loseBroadcast: true, dropAfterBroadcast: true });
    const pending = await sendPaid(gateway, call, asVersion1(await paymentOf(gateway, call, wallet, PRICE)));
    expect([pending.status, (await bodyOf(pending)).error]).toEqual([503, 'settlement_pending']);
    const signed = { [HEADERS.signIn]: await spendingHeader(gateway, call, wallet.signIn) };
    return { wallet, ask: () => send(gateway, call, signed) };
  }

  it.each([
    ['looks for open payments', 'look'],
    ['reads this one', 'find'],
  ] as const)('is charged if the payment turns out as refused before the gateway %s', async (_, name) => {
    const { wallet, ask } = await openUndecided();
    const refused: string[] = [];
    before(name, async (payments) => {
      for (const { key, payer } of await payments.open())
        if (payer === wallet.address) refused.push((await payments.resolve(key, EXPIRED)).verdict);
    });
    const answer = await leaves(gateway, { transfers: 0, arrivals: 1 }, ask);
    expect([answer.status, answer.headers.get(HEADERS.credit)]).toEqual([
      200,
      `charged=${PRICE}, balance=${BUNDLE - PRICE}`,
    ]);
    expect(refused).toEqual(['done']);
  });
});
