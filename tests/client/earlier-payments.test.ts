import { createClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { type Caps, fateOf, memoryLedger, payWith } from '@asset-gateway/client/pay';
import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { ACCOUNT, fails } from './seller.ts';

const gateway = await startEverything();
const { mainnet, devnet, provider } = gateway.solana;
const PRICE = 5;
const MINUTE_MS = 60_000;

/** Moves the clock that cannot be set. The time of day goes on. */
let aheadMs = 0;
const now = performance.now.bind(performance);
vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);

afterEach(() => {
  mainnet.faults.reset();
  provider.faults.reset();
});

/** An answer that replaces the gateway's to a payment, which gets the payment all the same. */
type Replacement = { readonly status: number; readonly body: object } | undefined;

interface CustomerOptions {
  readonly usdc?: number;
  readonly caps?: Caps;
}

/** A customer whose wallet has this many millionths, and what it signs, sends and records. */
async function openCustomer({ usdc = 0, caps = {} }: CustomerOptions = {}) {
  const keypair = newKeypair();
  const signer = signerFromBytes(keypair);
  const add = (micros: number) => mainnet.fundUsdc(signer.address, BigInt(micros));
  if (usdc > 0) await add(usdc);
  const kit = await createKeyPairSignerFromBytes(keypair);
  const signTransactions = vi.fn(kit.signTransactions);
  const ledger = memoryLedger();
  const hold = vi.spyOn(ledger, 'hold');
  const pay = payWith({ wallet: { ...kit, signTransactions }, rpcUrl: mainnet.url, caps, ledger });
  const sent: string[] = [];
  const lie: { answer: Replacement } = { answer: undefined };
  const client = createClient({
    baseUrl: gateway.url,
    signer,
    pay,
    credit: false,
    async fetch(input, init) {
      const payment = new Headers(init?.headers).get(HEADERS.payment);
      if (payment === null) return fetch(input, init);
      sent.push(payment);
      const answer = await fetch(input, init);
      if (!lie.answer) return answer;
      await answer.body?.cancel();
      return Response.json(lie.answer.body, { status: lie.answer.status });
    },
  });
  return {
    ...{ client, pay, ledger, hold, signTransactions, sent, lie, add },
    address: signer.address,
    call: () => client.rpc.getBalance(ACCOUNT).full(),
    transfers: () => mainnet.transfers.filter(({ from }) => from === signer.address),
    recorded: () => ledger.earlier(),
  };
}

/** Lets the chain and the time pass until a blockhash of now has expired for good. */
function expire({ blocks = 200, ms = MINUTE_MS } = {}): void {
  mainnet.advanceBlocks(blocks);
  aheadMs += ms;
}

const REFUSED = { status: 402, body: { ok: false, error: 'payment_rejected', message: 'No.', accepts: [] } };
const UNREADABLE = { getMultipleAccounts: { code: -32_005, message: 'Too many requests.' } };

describe('X22 a wallet that holds too little', () => {
  it.each([
    ['nothing', 0, '$0.00'],
    ['less than the price', PRICE - 1, '$0.000004'],
  ])('X22 with %s signs, sends and records nothing, and the error names the missing amount', async (_, usdc, held) => {
    const { call, hold, signTransactions, sent, transfers, recorded, address, add } = await openCustomer({ usdc });
    const missing = `$${(PRICE - usdc) / 1e6}`;
    const message =
      `the payment of $0.000005 needs USDC on Solana mainnet, and the wallet holds ${held}: send at least ${missing} in USDC ` +
      `on Solana mainnet to ${address} (in the sandbox, ask its faucet), then call again; nothing was signed`;
    const funds = { network: NETWORKS.mainnet, neededMicros: PRICE, balanceMicros: usdc };
    await fails(call(), 'insufficient_funds', { message, funds });
    expect([hold, signTransactions].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    expect([sent, transfers(), await recorded()]).toEqual([[], [], []]);
    await add(PRICE);
    expect((await call()).price).toBe('0.000005');
    expect([sent.length, transfers().length]).toEqual([1, 1]);
  });

  it('X22 learns it from a quote too', async () => {
    const { pay, signTransactions } = await openCustomer();
    const quoted = vi.fn();
    const quoting = { pay: (...request: Parameters<typeof pay.quote>) => pay.quote(...request).then(quoted) };
    const client = createClient({ baseUrl: gateway.url, pay: quoting, credit: false });
    await fails(client.rpc.getBalance(ACCOUNT), 'insufficient_funds');
    expect([quoted, signTransactions].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  it('X22 is told about a cap first, without a read of the chain', async () => {
    const { call } = await openCustomer({ caps: { perCallUsd: 0.000004 } });
    const before = mainnet.calls.length;
    await fails(call(), 'spending_limit');
    expect(mainnet.calls.slice(before).filter(({ method }) => method === 'getMultipleAccounts')).toEqual([]);
  });

  it('X22 pays if its balance cannot be read', async () => {
    const { call, transfers } = await openCustomer({ usdc: PRICE });
    mainnet.faults.refuse = UNREADABLE;
    await call();
    expect(transfers()).toHaveLength(1);
  });
});

describe('X22 a payment that the gateway refused', () => {
  /** A customer whose payment was refused, because the wallet was empty and its balance could not be read. */
  async function refusedCustomer() {
    const customer = await openCustomer({ caps: { inAllUsd: 0.000005 } });
    mainnet.faults.refuse = UNREADABLE;
    await fails(customer.call(), 'payment_refused');
    mainnet.faults.reset();
    await customer.add(PRICE);
    return customer;
  }

  it('X22 counts until it has expired, then a new one is made at once', async () => {
    const { call, sent, transfers, recorded } = await refusedCustomer();
    await fails(call(), 'payment_refused', { retryAfterSeconds: 30 });
    expect([sent.length, transfers().length]).toEqual([1, 0]);
    expire();
    await call();
    expect([sent.length, transfers().length, await recorded()]).toEqual([2, 1, []]);
  });

  it('X22 leaves the caps once it has expired, for other requests too', async () => {
    const { client, sent, transfers } = await refusedCustomer();
    const other = () => client.rpc.getBalance(gateway.solana.payTo);
    await fails(other(), 'spending_limit');
    expire();
    await other();
    expect([sent.length, transfers().length]).toEqual([2, 1]);
  });

  it.each<[string, () => void]>([
    ['the chain is not past its last block', () => expire({ blocks: 0 })],
    ['its last block is not final', () => expire({ blocks: 160 })],
    ['the RPC says that it has expired within a minute', () => expire({ ms: MINUTE_MS - 5_000 })],
    [
      'the RPC cannot be read',
      () => {
        expire();
        mainnet.faults.refuse = { getLatestBlockhash: { code: -32_005, message: 'Too many requests.' } };
      },
    ],
    [
      'the RPC is one of another network',
      () => {
        expire();
        mainnet.faults.refuse = { getGenesisHash: { code: -32_601, message: 'Method not found' } };
      },
    ],
  ])('X22 still blocks a new one while %s', async (_, pass) => {
    const { call, sent, signTransactions } = await refusedCustomer();
    pass();
    await fails(call(), 'payment_refused');
    expect([sent.length, signTransactions.mock.calls.length]).toEqual([1, 1]);
  });

  it('X22 is not expired for the RPC of another network', async () => {
    const { ledger } = await refusedCustomer();
    const [payment] = await ledger.earlier();
    const signal = new AbortController().signal;
    expire();
    if (!payment) throw new Error('nothing was recorded');
    const old = { ...payment, at: payment.at - MINUTE_MS };
    expect(await fateOf(old, () => ({ rpcUrl: devnet.url, signal }))).toBe('open');
    expect(await fateOf(old, () => ({ rpcUrl: mainnet.url, signal }))).toBe('expired');
  });

  it('X22 is not expired, but over, if an RPC may have forgotten its transaction', async () => {
    const { ledger } = await refusedCustomer();
    const [payment] = await ledger.earlier();
    expire();
    if (!payment) throw new Error('nothing was recorded');
    const access = () => ({ rpcUrl: mainnet.url, signal: new AbortController().signal });
    for (const state of ['signed', 'refused'] as const) {
      expect(await fateOf({ ...payment, state }, access, 86_400_001)).toBe('over');
      expect(await fateOf({ ...payment, state, trace: undefined }, access, 299_000)).toBe('open');
      expect(await fateOf({ ...payment, state, trace: undefined }, access, 301_000)).toBe('over');
    }
  });

  it('X22 and settled is found on the chain: it counts as paid, and the caller is told once', async () => {
    const customer = await openCustomer({ usdc: 100 * PRICE, caps: { inAllUsd: 0.00001 } });
    const { call, lie, sent, transfers, ledger } = customer;
    lie.answer = REFUSED;
    await fails(call(), 'payment_refused');
    expect(transfers()).toHaveLength(1);
    expire();
    await fails(call(), 'payment_refused', { payment: { state: 'settled' } });
    expect([sent.length, await ledger.earlier()]).toEqual([1, []]);
    lie.answer = undefined;
    await call();
    await fails(call(), 'spending_limit');
    expect(transfers()).toHaveLength(2);
  });

  it('X22 counts for good if the RPC lists no transactions, and blocks no new one after it has expired', async () => {
    const { call, lie, sent } = await openCustomer({ usdc: 100 * PRICE, caps: { inAllUsd: 0.00001 } });
    lie.answer = REFUSED;
    await fails(call(), 'payment_refused');
    expire();
    mainnet.faults.refuse = { getSignaturesForAddress: { code: -32_601, message: 'Method not found' } };
    await fails(call(), 'payment_refused');
    expire();
    await fails(call(), 'spending_limit');
    expect(sent).toHaveLength(2);
  });
});

describe('X23 a payment that was not used', () => {
  /** Refusals of an upstream, after which the gateway answers that the payment is unused. */
  const refusals: readonly (readonly [number, string])[] = [
    [400, 'upstream_rejected'],
    [404, 'upstream_rejected'],
    [422, 'upstream_rejected'],
    [500, 'upstream_error'],
  ];

  it.each(refusals)('X23 after %i of the upstream is sent again while it can settle', async (status) => {
    const { call, sent, transfers } = await openCustomer({ usdc: 100 * PRICE });
    provider.faults.status = status;
    await expect(call()).rejects.toMatchObject({ name: 'GatewayError', payment: { state: 'unused' } });
    expect(transfers()).toEqual([]);
    provider.faults.reset();
    await call();
    expect([sent.length, new Set(sent).size, transfers().length]).toEqual([2, 1, 1]);
    await call();
    expect([new Set(sent).size, transfers().length]).toEqual([2, 2]);
  });

  it.each(refusals)('X23 after %i is replaced at once when it has expired, and no longer counts', async (status) => {
    const { call, sent, transfers, recorded } = await openCustomer({ usdc: 100 * PRICE, caps: { inAllUsd: 0.000005 } });
    provider.faults.status = status;
    await expect(call()).rejects.toMatchObject({ payment: { state: 'unused' } });
    provider.faults.reset();
    expire();
    await call();
    expect([new Set(sent).size, transfers().length, await recorded()]).toEqual([2, 1, []]);
  });

  it('X23 in the words of a gateway that settles it is sent again, never replaced', async () => {
    const { call, lie, sent, transfers } = await openCustomer({ usdc: 100 * PRICE });
    lie.answer = { status: 404, body: { ok: false, error: 'not_found', message: 'No.', payment: { state: 'unused' } } };
    await fails(call(), 'not_found');
    expire();
    await fails(call(), 'not_found');
    lie.answer = undefined;
    await call();
    expect([sent.length, new Set(sent).size, transfers().length]).toEqual([3, 1, 1]);
  });
});
