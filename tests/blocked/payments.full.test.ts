import { challengeIn, signIn } from '@asset-gateway/client';
import { HEADERS } from '@asset-gateway/protocol';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import {
  answersWith,
  asVersion1,
  callOf,
  headerOf,
  leaves,
  leavesNoTrace,
  paymentFor,
  ROOMY,
  requiredFor,
  send,
  sendPaid,
} from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { BLOCKED_ADDRESS, expectBlocked, from, newList, nextNotice, noticesIn } from './kit.ts';

const list = newList('203.0.113.0/24');
const call = callOf('wallet.mainnet.helius.balances');
const head = { ...call, init: { ...call.init, method: 'HEAD' } };

let wallet: Wallet;
const gateway = await startSellingGateway({ ...ROOMY, ...list.variables });
afterEach(() => vi.restoreAllMocks());

/** Writes the list, and waits until it is in force. */
async function block(...entries: readonly string[]): Promise<void> {
  const count = noticesIn(gateway.logLines).length;
  list.write(`# ${count}`, '203.0.113.0/24', ...entries);
  await nextNotice(gateway.logLines, count + 1);
}

describe('a blocked wallet', () => {
  beforeAll(async () => {
    wallet = await openWallet(gateway.solana);
    await block(wallet.address);
  });

  it('cannot buy with either header, and its payment stays unused', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    const old = { [HEADERS.version1Payment]: headerOf(asVersion1(payment)) };
    await leavesNoTrace(gateway, async () => {
      for (let attempt = 0; attempt < 6; attempt++)
        await expectBlocked(await sendPaid(gateway, call, payment), 'unused');
      await expectBlocked(await send(gateway, call, old), 'unused');
    });
  });

  it('is refused for another reason first, if its payment is invalid', async () => {
    const payment = await paymentFor(gateway, callOf('rpc.mainnet.helius.getBalance'), wallet);
    await leavesNoTrace(gateway, () =>
      answersWith(402, 'no_matching_requirements', 'refused', sendPaid(gateway, call, payment)),
    );
  });

  it('can use the refused payment once it is unblocked', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    await expectBlocked(await sendPaid(gateway, call, payment), 'unused');
    await block();
    await leaves(gateway, { transfers: 1, arrivals: 1 }, async () => {
      expect((await sendPaid(gateway, call, payment)).status).toBe(200);
    });
  });
});

describe('a wallet that is blocked after it paid', () => {
  beforeAll(async () => {
    wallet = await openWallet(gateway.solana);
    await block();
  });

  it('still gets the answer it paid for, with that payment or another, and cannot buy more', async () => {
    const payments = [await paymentFor(gateway, call, wallet), await paymentFor(gateway, call, wallet)] as const;
    expect((await sendPaid(gateway, head, payments[0])).status).toBe(200);
    await block(wallet.address);
    await leavesNoTrace(gateway, async () => {
      for (const payment of payments.toReversed()) {
        const owed = await sendPaid(gateway, call, payment);
        expect([owed.status, owed.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
      }
    });
    const more = callOf('rpc.mainnet.helius.getBalance');
    await expectBlocked(await sendPaid(gateway, more, await paymentFor(gateway, more, wallet)), 'unused');
  });

  it('gets it even if it has to be fetched again', async () => {
    await block();
    const payment = await paymentFor(gateway, call, wallet);
    expect((await sendPaid(gateway, head, payment)).status).toBe(200);
    await block(wallet.address);
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
      expect((await sendPaid(gateway, call, payment)).status).toBe(200);
    });
  });
});

describe('a blocked address', () => {
  it('gets no price, no sale and no delivery', async () => {
    await block();
    const buyer = await openWallet(gateway.solana);
    const payment = await paymentFor(gateway, call, buyer);
    const headers = { ...from(BLOCKED_ADDRESS), [HEADERS.payment]: headerOf(payment) };
    await leavesNoTrace(gateway, async () => {
      await expectBlocked(await send(gateway, call, from(BLOCKED_ADDRESS)));
      await expectBlocked(await send(gateway, call, headers));
    });
    expect((await requiredFor(gateway, call)).accepts).toHaveLength(1);
    expect((await sendPaid(gateway, call, payment)).status).toBe(200);
    await leavesNoTrace(gateway, async () => expectBlocked(await send(gateway, call, headers)));
  });
});

it('a blocked wallet cannot spend its credit, and keeps it', async () => {
  const rich = newList('# nobody yet');
  const selling = await startSellingGateway({ ...ROOMY, ...rich.variables, CREDIT: 'on' }, { solana: gateway.solana });
  const buyer = await openWallet(selling.solana);
  const required = await requiredFor(selling, call);
  const bought = await sendPaid(selling, call, await buyer.pay({ ...required, accepts: required.accepts.slice(1) }));
  const [, balance] = /balance=(\d+)/.exec(bought.headers.get('credit') ?? '') ?? [];
  expect(Number(balance)).toBeGreaterThan(0);
  rich.write(buyer.address);
  await nextNotice(selling.logLines, 2);
  const payment = await paymentFor(selling, call, buyer);
  const url = selling.url + call.target;
  const challenge = challengeIn(await (await fetch(url, { headers: { Prefer: 'credit' } })).json());
  if (!challenge) throw new Error('nothing to sign');
  const header = await signIn(challenge, buyer.signIn, new URL(url));
  await leavesNoTrace(selling, async () => {
    await expectBlocked(await sendPaid(selling, call, payment), 'unused');
    await expectBlocked(await send(selling, call, { [HEADERS.signIn]: header }), 'unused');
  });
  rich.write('# nobody');
  await nextNotice(selling.logLines, 3);
  const spent = await send(selling, call, { [HEADERS.signIn]: header });
  expect([spent.status, spent.headers.get('credit')]).toEqual([200, `charged=500, balance=${Number(balance) - 500}`]);
  await selling.stop();
});
