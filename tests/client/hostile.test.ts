import type { ServerResponse } from 'node:http';
import { type ClientOptions, createClient, type GatewayClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { memoryLedger, type Offer, type PayerOptions, payWith } from '@asset-gateway/client/pay';
import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { startChain } from '../../packages/sandbox/src/chain/chain.ts';
import { type Arrival, drip, flood, json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { asking, catalogWith, payTo, requirement } from './offers.ts';

const ACCOUNT = 'So11111111111111111111111111111111111111112';
const MIB = 1024 * 1024;
const keypair = newKeypair();
const signed: string[] = [];
const wallet = signerFromBytes(keypair);
const signer = {
  address: wallet.address,
  signMessage: (message: Uint8Array) => {
    signed.push(Buffer.from(message).toString());
    return wallet.signMessage(message);
  },
};

const gateway = await startStrangeGateway();
const other = await startStrangeGateway();
const chain = await startChain({ cluster: 'mainnet' });
await chain.fundUsdc(wallet.address, 1_000_000n);
afterEach(() => {
  signed.length = 0;
});
afterAll(() => chain.close());

const CATALOG = catalogWith('0.1');
const paymentIn = ({ headers }: Arrival): string | undefined =>
  headers[HEADERS.payment.toLowerCase()] as string | undefined;
/** The received payments. */
const payments = (): string[] => gateway.arrivals.flatMap((arrival) => paymentIn(arrival) ?? []);
const SPENDING_LIMIT = { ok: false, error: 'spending_limit', message: 'nothing was signed' };
const ANSWER = { ok: true, result: { context: { slot: 1 }, value: 7 } };

interface Answers {
  readonly asked?: (response: ServerResponse) => void;
  readonly catalog?: (response: ServerResponse) => void;
  readonly paid?: (response: ServerResponse) => void;
}

/** Answers like a gateway that sells, except for these answers. */
function answerWith({ asked, catalog, paid }: Answers = {}): void {
  gateway.answer((arrival, response) => {
    if (arrival.path === '/v1/catalog') return catalog ? catalog(response) : json(response, 200, CATALOG);
    if (paymentIn(arrival) !== undefined) return paid ? paid(response) : json(response, 200, ANSWER);
    return asked ? asked(response) : json(response, 402, asking([requirement()]));
  });
}

type Options = Partial<PayerOptions> & { readonly client?: Partial<ClientOptions> };

function open({ client, ...options }: Options = {}): GatewayClient {
  const pay = payWith({ wallet: keypair, rpcUrl: chain.url, ...options });
  return createClient({ baseUrl: gateway.url, signer, pay, ...client });
}

const getBalance = (options: Options = {}) => open(options).rpc.getBalance(ACCOUNT);
const code = (expected: string) => ({ name: 'GatewayError', code: expected });
const fails = (call: PromiseLike<unknown>, expected: string) =>
  expect(Promise.resolve(call)).rejects.toMatchObject(code(expected));

describe('W12 the chosen cluster', () => {
  it('W12 is the only one that the client pays on', async () => {
    answerWith();
    const before = chain.calls.length;
    await fails(getBalance({ client: { cluster: 'devnet' } }), 'nothing_payable');
    expect([payments(), chain.calls.length - before]).toEqual([[], 0]);
  });
});

describe('W13 an RPC that never answers', () => {
  it.each([
    ['timeoutMs', 'timeout', (): Partial<ClientOptions> => ({ timeoutMs: 500 })],
    ['signal', 'aborted', (): Partial<ClientOptions> => ({ signal: AbortSignal.timeout(500) })],
  ])('W13 is bounded by %s, and nothing counts as spent', async (_, ending, settings) => {
    answerWith();
    other.answer(() => undefined);
    let rpcUrl = other.url;
    const caps = { inAllUsd: 0.000005 };
    const ledger = memoryLedger();
    await fails(getBalance({ rpcUrl: () => rpcUrl, caps, ledger, client: settings() }), ending);
    expect(payments()).toEqual([]);
    rpcUrl = chain.url;
    await getBalance({ rpcUrl: () => rpcUrl, caps, ledger });
    expect(payments()).toHaveLength(1);
  });

  it('W13 W15 or answers endlessly: the payment is not made', async () => {
    answerWith();
    let taken = 0;
    other.answer((_, response) => flood(response, 200, (bytes) => (taken = bytes)));
    await fails(getBalance({ rpcUrl: other.url }), 'payment_not_made');
    await expect.poll(() => taken).toBeGreaterThan(0);
    expect([payments(), taken < 16 * MIB]).toEqual([[], true]);
  });
});

type Body = (response: ServerResponse, status: number) => void;

describe('W14 W15 a body that drips or does not end', () => {
  const places: readonly (readonly [string, (body: Body) => Answers, string, string, number])[] = [
    ['of a 402', (body) => ({ asked: (response) => body(response, 402) }), 'timeout', 'answer_too_large', 32],
    ['of the catalog', (body) => ({ catalog: (response) => body(response, 200) }), 'timeout', 'answer_too_large', 32],
    [
      'of a paid answer',
      (body) => ({ paid: (response) => body(response, 200) }),
      'payment_unknown',
      'payment_unknown',
      128,
    ],
  ];

  it.each(places)('W14 %s is aborted at the timeout', async (_, answers, ending) => {
    answerWith(answers(drip));
    // A payment takes longer on a busy machine.
    const timeoutMs = ending === 'payment_unknown' ? 2_000 : 500;
    await fails(getBalance({ client: { timeoutMs } }), ending);
  });

  it('W14 of `ask` is aborted at the timeout', async () => {
    gateway.answer((_, response) => drip(response));
    await fails(open({ client: { timeoutMs: 500 } }).ask('/healthz'), 'timeout');
  });

  it.each(places)('W15 %s is read up to its limit', async (_, answers, __, ending, limit) => {
    let taken = 0;
    answerWith(answers((response, status) => flood(response, status, (bytes) => (taken = bytes))));
    await fails(getBalance(), ending);
    await expect.poll(() => taken).toBeGreaterThan(0);
    // The sockets buffer more than the client reads.
    expect([taken < limit * MIB, payments().length <= 1]).toEqual([true, true]);
  });
});

describe('W16 W11 one payment for a request', () => {
  it('W16 that was answered with 402 again counts as spent and blocks a new payment for a while', async () => {
    answerWith({ paid: (response) => json(response, 402, asking([requirement()])) });
    const client = open({ caps: { inAllUsd: 0.00001 } });
    await expect(client.rpc.getBalance(ACCOUNT)).rejects.toMatchObject({
      ...code('payment_refused'),
      message: expect.stringContaining('a payment of $0.000005 was sent and refused'),
    });
    for (let again = 0; again < 3; again++) await fails(client.rpc.getBalance(ACCOUNT), 'payment_refused');
    expect(payments()).toHaveLength(1);
    await fails(client.rpc.getBalance(wallet.address), 'payment_refused');
    await fails(client.rpc.getBalance(payTo), 'spending_limit');
    expect(payments()).toHaveLength(2);
  });

  it.each([
    ['503 with Retry-After', (response: ServerResponse) => json(response, 503, {}, { 'Retry-After': '60' })],
    ["a proxy's 403", (response: ServerResponse) => void response.writeHead(403).end('<html></html>')],
    ['429 without Retry-After', (response: ServerResponse) => void response.writeHead(429).end()],
    ["an error code of the client's own", (response: ServerResponse) => json(response, 400, SPENDING_LIMIT)],
  ])('W11 that is answered with %s is resent by the next call, and never signed again', async (_, paid) => {
    answerWith({ paid });
    const client = open({ client: { timeoutMs: 2_000, credit: false } });
    const path = '/v1/x402/solana/mainnet/helius/rpc/getBalance';
    for (let call = 0; call < 3; call++) await fails(client.ask(path, { body: {} }), 'payment_unknown');
    expect([payments().length, new Set(payments()).size]).toEqual([3, 1]);
    const [first] = payments();
    answerWith();
    expect((await client.ask(path, { body: {} })).status).toBe(200);
    expect(payments()).toEqual([first]);
    await client.ask(path, { body: {} });
    expect(new Set(payments()).size).toBe(2);
  });

  it('W11 whose call is aborted while the wallet signs is neither sent nor counted', async () => {
    answerWith();
    const [controller, memory] = [new AbortController(), memoryLedger()];
    const kit = await createKeyPairSignerFromBytes(keypair);
    const signTransactions: typeof kit.signTransactions = (...transactions) => {
      controller.abort();
      return kit.signTransactions(...transactions);
    };
    const released: string[] = [];
    const release = (id: string) => memory.release(id).then(() => void released.push(id));
    const options = { wallet: { ...kit, signTransactions }, ledger: { ...memory, release } };
    await fails(getBalance({ ...options, client: { signal: controller.signal } }), 'aborted');
    await vi.waitFor(() => expect(released).toHaveLength(1));
    expect(payments()).toEqual([]);
    await getBalance({ ledger: memory, caps: { inAllUsd: 0.000005 } });
    expect(payments()).toHaveLength(1);
  });

  it('W11 whose call is aborted just after the signature is not sent', async () => {
    answerWith();
    const controller = new AbortController();
    const pay = () => {
      const made = Promise.resolve({ micros: 5, headers: { [HEADERS.payment]: 'a payment' } });
      void made.then(() => controller.abort());
      return made;
    };
    await fails(getBalance({ client: { pay: { pay }, signal: controller.signal } }), 'aborted');
    expect(payments()).toEqual([]);
  });

  it('W11 that another call already sends is not released when its own call is aborted', async () => {
    answerWith({ paid: (response) => json(response, 503, {}, { 'Retry-After': '60' }) });
    const memory = memoryLedger();
    const controller = new AbortController();
    const signed: typeof memory.signed = async (id, entry) => {
      await memory.signed(id, entry);
      controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 50));
    };
    const ledger = { ...memory, signed };
    const call = getBalance({ ledger, client: { signal: controller.signal } });
    await expect(call).rejects.toMatchObject({ name: 'GatewayError' });
    await fails(getBalance({ ledger }), 'payment_unknown');
    await fails(getBalance({ ledger }), 'payment_unknown');
    expect(new Set(payments()).size).toBe(1);
  });
});

describe('W17 W18 limits', () => {
  it('W17 of a call apply to the only offer, even if a bundle was wanted', async () => {
    answerWith({ asked: (response) => json(response, 402, asking([requirement({ amount: '50000' })])) });
    const call = getBalance({ caps: { perCallUsd: 0.001, perBundleUsd: 0.05 }, client: { credit: true } });
    await fails(call, 'spending_limit');
    expect(payments()).toEqual([]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, '1', null, {}])('W18 of %s are refused by payWith', (cap) => {
    for (const name of ['perCallUsd', 'perBundleUsd', 'perDayUsd', 'inAllUsd'])
      expect(() => payWith({ wallet: keypair, rpcUrl: chain.url, caps: { [name]: cap } })).toThrow(name);
  });

  it('W18 that are undefined take the defaults', async () => {
    answerWith();
    const memory = memoryLedger();
    const held: object[] = [];
    const hold = (micros: number, caps: Parameters<typeof memory.hold>[1]) => {
      held.push({ ...caps });
      return memory.hold(micros, caps);
    };
    await getBalance({ caps: { perDayUsd: undefined, inAllUsd: undefined }, ledger: { ...memory, hold } });
    expect(held).toMatchObject([{ perDayMicros: 1_000_000, inAllMicros: Number.POSITIVE_INFINITY }]);
  });

  it('W18 that are not numbers allow nothing', async () => {
    const caps = { perDayMicros: Number.NaN, inAllMicros: 1 };
    await fails(memoryLedger().hold(1, caps), 'spending_limit');
  });

  it('W20 count an entry dated in the future', async () => {
    let now = 1_000_000_000;
    const ledger = memoryLedger(() => now);
    const caps = { perDayMicros: 10, inAllMicros: 100 };
    await ledger.hold(10, caps);
    now = 0;
    await fails(ledger.hold(1, caps), 'spending_limit');
  });
});

describe('W29 W30 W37 the URL of a request', () => {
  it.each(['.', '..'])('W29 refuses %s as a path parameter', async (parameter) => {
    answerWith();
    await fails(open().wallet.balances(parameter), 'invalid_request');
    await fails(open().tokens.assetDetail(parameter), 'invalid_request');
    expect(gateway.arrivals).toEqual([]);
  });

  it('W30 refuses a path of another origin', async () => {
    answerWith();
    other.answer((_, response) => json(response, 402, asking([requirement()])));
    const { host } = new URL(other.url);
    for (const path of [`//${host}/x`, `${other.url}/x`, `\\\\${host}\\x`, 'http://'])
      await fails(open().ask(path), 'invalid_request');
    expect([other.arrivals, gateway.arrivals]).toEqual([[], []]);
  });

  it('W37 encodes the name of a query parameter', async () => {
    answerWith({ asked: (response) => json(response, 200, ANSWER) });
    await open().tokens.search({ q: 'gold', 'limit=1&q': 'x' } as never);
    expect(gateway.arrivals.map(({ path }) => new URL(path, gateway.url).searchParams.getAll('q'))).toEqual([['gold']]);
  });
});

describe('a catalog that does not confirm the price', () => {
  it.each([
    ['lists less', catalogWith('0.000004'), 'says $0.000004'],
    ['lists a word', catalogWith('free'), 'does not list this route'],
    ['lists a negative price', catalogWith('-1'), 'does not list this route'],
    ['lists another route', { routes: [] }, 'does not list this route'],
  ])('that %s leads to no payment', async (_, catalog, message) => {
    answerWith({ catalog: (response) => json(response, 200, catalog) });
    const before = chain.calls.length;
    const ledger = { ...memoryLedger(), hold: () => Promise.reject(new Error('held')) };
    await expect(getBalance({ ledger })).rejects.toMatchObject({
      ...code('spending_limit'),
      message: `the gateway asks for $0.000005, but the catalog ${message}; nothing was signed`,
    });
    expect([payments(), chain.calls.length]).toEqual([[], before]);
  });
});

describe('a request that breaks the schema of its route', () => {
  const listedWith = (pattern: string) =>
    catalogWith('0.1', {
      inputSchema: { properties: { params: { type: 'array', prefixItems: [{ type: 'string', pattern }] } } },
    });
  const ADDRESS = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';

  it("is refused by the catalog's schema before an amount is held or signed", async () => {
    answerWith({ catalog: (response) => json(response, 200, listedWith(ADDRESS)) });
    const ledger = { ...memoryLedger(), hold: () => Promise.reject(new Error('held')) };
    await expect(open({ ledger }).rpc.getBalance('no address')).rejects.toMatchObject({
      ...code('invalid_request'),
      issues: [{ in: 'body', name: 'params[0]', rule: 'pattern' }],
    });
    expect(payments()).toEqual([]);
  });

  it("W27 is not checked against a pattern of the gateway's own", async () => {
    answerWith({ catalog: (response) => json(response, 200, listedWith('^(a+)+$')) });
    await open().rpc.getBalance(`${'a'.repeat(40)}!`);
    expect(payments()).toHaveLength(1);
  });
});

describe('W31 a challenge', () => {
  const chains = [{ chainId: NETWORKS.mainnet, type: 'ed25519' }];
  const info = (change: object = {}) => ({
    domain: new URL(gateway.url).host,
    uri: `${gateway.url}/v1/x402/tokens/health`,
    version: '1',
    nonce: 'a'.repeat(32),
    issuedAt: '2026-08-03T12:00:00Z',
    expirationTime: '2026-08-03T12:05:00Z',
    statement: 'Sign in.',
    ...change,
  });
  const challenge = (extension: unknown) => ({
    ...asking([]),
    error: 'sign_in_required',
    extensions: { 'sign-in-with-x': extension },
  });
  /** Answers like a gateway that wants a signature, with these headers. */
  const signsIn = (more: object = {}): void =>
    gateway.answer(({ headers }, response) =>
      headers['sign-in-with-x'] === undefined
        ? json(response, 402, challenge(signing({})))
        : json(response, 200, { ok: true, result: { ok: true } }, more),
    );
  const signing = (change: object, more: object = {}) => ({ info: info(change), supportedChains: chains, ...more });
  const bad: readonly (readonly [string, unknown])[] = [
    ['with a line break in its statement', signing({ statement: 'x\nURI: https://bank.example' })],
    ['for another path', signing({ uri: `${gateway.url}/v1/x402/credit/mainnet` })],
    ['for another origin', signing({ uri: 'https://bank.example/' })],
    ['for another domain', signing({ domain: 'bank.example' })],
    ['for a chain of another kind', signing({}, { supportedChains: [{ chainId: 'eip155:1', type: 'ed25519' }] })],
    ['for another type of signature', signing({}, { supportedChains: [{ ...chains[0], type: 'eip191' }] })],
    ['without chains', { info: info() }],
    ['whose chains are not a list', signing({}, { supportedChains: { length: 1 } })],
    ['whose chain is null', signing({}, { supportedChains: [null] })],
    ['that is null', null],
    ['without info', { supportedChains: chains }],
    ['whose nonce is malformed', signing({ nonce: 'A'.repeat(32) })],
    ['whose date does not exist', signing({ issuedAt: '2026-99-99T99:99:99Z' })],
    ['whose domain is a number', signing({ domain: 7 })],
    ['of version 2', signing({ version: '2' })],
  ];

  it.each(bad)('W31 %s is rejected, neither signed nor stored', async (_, extension) => {
    const client = open();
    gateway.answer((_, response) => json(response, 402, challenge(extension)));
    await fails(client.tokens.health(), 'challenge_rejected');
    expect(signed).toEqual([]);
    signsIn();
    expect(await client.tokens.health()).toEqual({ ok: true });
    expect(signed).toHaveLength(1);
  });

  it('W31 the statement of a call is not signed for the next one', async () => {
    const client = open();
    signsIn({ 'Replay-Nonce': 'b'.repeat(32) });
    for (let call = 0; call < 2; call++) await client.tokens.health();
    expect(signed.map((text) => text.includes('Sign in.'))).toEqual([true, false]);
  });

  it('W31 a malformed nonce is not stored', async () => {
    const client = open();
    signsIn({ 'Replay-Nonce': 'x'.repeat(99) });
    for (let call = 0; call < 2; call++) await client.tokens.health();
    expect(signed.join('')).not.toContain('x'.repeat(99));
    expect(gateway.arrivals).toHaveLength(4);
  });

  it.each(['[]', 'null', '7', '{', '{"extensions":7}', '{"accepts":{}}', '{"accepts":[null]}'])(
    'W31 the 402 %s is a GatewayError, for a free route and a paid one',
    async (body) => {
      gateway.answer((_, response) => void response.writeHead(402, { 'Content-Type': 'application/json' }).end(body));
      await expect(open().tokens.health()).rejects.toMatchObject({ name: 'GatewayError' });
      await expect(open().rpc.getBalance(ACCOUNT)).rejects.toMatchObject({ name: 'GatewayError' });
      expect([signed, payments()]).toEqual([[], []]);
    },
  );
});

describe('W32 W33 W34 a payment', () => {
  it('W32 for a resource beyond Latin-1 is base64 of UTF-8', async () => {
    const description = 'Prix en € — 価格 🪙';
    answerWith({
      asked: (response) => json(response, 402, asking([requirement()], { resource: { url: 'x', description } })),
    });
    await getBalance();
    const [payment = ''] = payments();
    expect(JSON.parse(Buffer.from(payment, 'base64').toString())).toMatchObject({ resource: { description } });
  });

  it('W33 whose ledger fails to record the outcome is sent once; the caller gets the answer and a report', async () => {
    answerWith();
    const failure = new Error('the disk is full');
    const ledger = { ...memoryLedger(), closed: () => Promise.reject(failure) };
    const reported: unknown[] = [];
    const client = open({ ledger, client: { onLedgerFailure: (error) => reported.push(error) } });
    expect(await client.rpc.getBalance(ACCOUNT)).toMatchObject({ value: 7n });
    expect([payments().length, reported]).toEqual([1, [failure]]);
    const next = client.rpc.getBalance(wallet.address);
    await expect(next).rejects.toMatchObject({ ...code('payment_not_made'), cause: failure });
    expect(payments()).toHaveLength(1);
  });

  it.each([
    ['a sentence', 'I owe you everything'],
    ['256 bytes', 'x'.repeat(256)],
    ['a number', 7],
    ['a list', ['x'.repeat(32)]],
  ])('W34 with %s as its memo is not made', async (_, memo) => {
    answerWith({ asked: (response) => json(response, 402, asking([requirement({}, { memo })])) });
    await fails(getBalance(), 'nothing_payable');
    expect(payments()).toEqual([]);
  });

  it('W34 with a memo that the caller allows shows it in the offer', async () => {
    const memo = 'invoice 7';
    answerWith({ asked: (response) => json(response, 402, asking([requirement({}, { memo })])) });
    const shown: Offer[] = [];
    await getBalance({ allowMemo: (each) => each === memo, approve: (offer) => void shown.push(offer) });
    expect(shown).toMatchObject([{ memo, amount: '5', payTo }]);
    expect(payments()).toHaveLength(1);
  });
});
