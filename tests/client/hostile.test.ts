import { createClient } from '@asset-gateway/client';
import { memoryLedger, type Offer, payWith, type SpendingLedger } from '@asset-gateway/client/pay';
import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { drip, flood, startStrangeGateway } from '../kit/strange-gateway.ts';
import { asking, catalogWith, payTo, refusal, requirement } from './offers.ts';
import { ACCOUNT, asks, fails, openSeller, type Reply, reply } from './seller.ts';

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
const { gateway, chain, keypair, wallet, open, getBalance, payments, answerWith } = await openSeller();
const other = await startStrangeGateway();

it('W12 the client pays on the chosen cluster only', async () => {
  answerWith();
  const before = chain.calls.length;
  await fails(getBalance({ client: { cluster: 'devnet' } }), 'nothing_payable');
  expect([payments(), chain.calls.length - before]).toEqual([[], 0]);
});

describe('W13 an RPC that never answers', () => {
  it.each([
    ['timeoutMs', 'timeout', () => ({ timeoutMs: 500 })],
    ['signal', 'aborted', () => ({ signal: AbortSignal.timeout(500) })],
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

describe('a redirect is not followed', () => {
  const redirect: Reply = (response) => response.writeHead(307, { Location: other.url }).end();
  const places = [
    ['a 402', 'asked', 'unreachable'],
    ['the catalog', 'catalog', 'unreachable'],
    ['a paid answer', 'paid', 'payment_unknown'],
  ] as const;

  it('in place of a blockhash', async () => {
    answerWith();
    other.answer((_, response) => response.writeHead(307, { Location: chain.url }).end());
    const before = chain.calls.length;
    await fails(getBalance({ rpcUrl: other.url }), 'payment_not_made');
    expect([chain.calls.length - before, payments()]).toEqual([0, []]);
  });

  it.each(places)('in place of %s', async (_, place, ending) => {
    other.answer((_, response) => response.end());
    answerWith({ [place]: redirect });
    await fails(getBalance({ client: { timeoutMs: 2_000 } }), ending);
    expect([other.arrivals, new Set(payments()).size]).toEqual([[], place === 'paid' ? 1 : 0]);
  });
});

it('no request has an option that Cloudflare Workers refuse', async () => {
  answerWith();
  const send = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, { redirect, cache, ...init } = {}) => {
    if (redirect === 'error') throw new TypeError('Invalid redirect value');
    if (cache !== undefined) throw new Error("The 'cache' field is not implemented.");
    return send(input, { redirect, ...init } as RequestInit);
  });
  await getBalance();
  expect(payments()).toHaveLength(1);
});

describe('W14 W15 a body that drips or does not end', () => {
  const places = [
    ['a 402', 'asked', 402, 'timeout', 'answer_too_large', 32],
    ['the catalog', 'catalog', 200, 'timeout', 'answer_too_large', 64],
    ['a paid answer', 'paid', 200, 'payment_unknown', 'payment_unknown', 128],
  ] as const;

  it.each(places)('W14 of %s is aborted at the timeout', async (_, place, status, ending) => {
    answerWith({ [place]: (response: Parameters<Reply>[0]) => drip(response, status) });
    // A payment takes longer on a busy machine.
    const timeoutMs = ending === 'payment_unknown' ? 2_000 : 500;
    await fails(getBalance({ client: { timeoutMs } }), ending);
  });

  it('W14 of `ask` is aborted at the timeout', async () => {
    gateway.answer((_, response) => drip(response));
    await fails(open({ client: { timeoutMs: 500 } }).ask('/healthz'), 'timeout');
  });

  it.each(places)('W15 of %s is read up to its limit', async (_, place, status, __, ending, limit) => {
    let taken = 0;
    const endless: Reply = (response) => flood(response, status, (bytes) => (taken = bytes));
    answerWith({ [place]: endless });
    await fails(getBalance(), ending);
    await expect.poll(() => taken).toBeGreaterThan(0);
    // The sockets buffer more than the client reads.
    expect([taken < limit * MIB, payments().length <= 1]).toEqual([true, true]);
  });
});

const BUSY = reply(503, {}, { 'Retry-After': '60' });

describe('W16 W11 one payment for a request', () => {
  it('W16 that was answered with 402 again counts as spent and blocks a new payment for a while', async () => {
    answerWith({ paid: asks(requirement()) });
    const client = open({ caps: { inAllUsd: 0.00001 } });
    const message = expect.stringContaining('a payment of $0.000005 was sent and refused');
    await fails(client.rpc.getBalance(ACCOUNT), 'payment_refused', { message });
    for (let again = 0; again < 3; again++) await fails(client.rpc.getBalance(ACCOUNT), 'payment_refused');
    expect(payments()).toHaveLength(1);
    await fails(client.rpc.getBalance(wallet.address), 'payment_refused');
    await fails(client.rpc.getBalance(payTo), 'spending_limit');
    expect(payments()).toHaveLength(2);
  });

  it.each<[string, Reply]>([
    ['503 with Retry-After', BUSY],
    ["a proxy's 403", (response) => void response.writeHead(403).end('<html></html>')],
    ['429 without Retry-After', (response) => void response.writeHead(429).end()],
    ["an error code of the client's own", reply(400, refusal('spending_limit'))],
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
    const [controller, ledger] = [new AbortController(), memoryLedger()];
    const release = vi.spyOn(ledger, 'release');
    const kit = await createKeyPairSignerFromBytes(keypair);
    const signTransactions: typeof kit.signTransactions = (...transactions) => {
      controller.abort();
      return kit.signTransactions(...transactions);
    };
    const client = { signal: controller.signal };
    await fails(getBalance({ wallet: { ...kit, signTransactions }, ledger, client }), 'aborted');
    await vi.waitFor(() => expect(release).toHaveResolvedTimes(1), 30_000);
    expect(payments()).toEqual([]);
    await getBalance({ ledger, caps: { inAllUsd: 0.000005 } });
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
    answerWith({ paid: BUSY });
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
    answerWith({ asked: asks(requirement({ amount: '50000' })) });
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
    const ledger = memoryLedger();
    const hold = vi.spyOn(ledger, 'hold');
    await getBalance({ caps: { perDayUsd: undefined, inAllUsd: undefined }, ledger });
    const caps = { perDayMicros: 1_000_000, inAllMicros: Number.POSITIVE_INFINITY };
    expect(hold).toHaveBeenCalledWith(5, expect.objectContaining(caps));
  });

  it.each<[string, Readonly<Record<number, number>>, Parameters<SpendingLedger['hold']>[1]]>([
    ['that are not numbers allow nothing', {}, { perDayMicros: Number.NaN, inAllMicros: 1 }],
    ['count an entry dated in the future', { 1000000000: 10 }, { perDayMicros: 10, inAllMicros: 100 }],
    ['of 24 hours count a younger entry', { [1 - DAY_MS]: 10 }, { perDayMicros: 10, inAllMicros: 100 }],
    ['in all count an older entry, too', { [-DAY_MS]: 10, 0: 5 }, { perDayMicros: 10, inAllMicros: 15 }],
  ])('W18 W20 %s', async (_, entries, caps) => {
    let now = 0;
    const ledger = memoryLedger(() => now);
    // Keys that are not whole numbers come last.
    for (const [at, micros] of Object.entries(entries).sort(([one], [other]) => Number(one) - Number(other))) {
      now = Number(at);
      await ledger.hold(micros, caps);
    }
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

  it('needs a base URL with http:// or https://', () => {
    expect(() => createClient({ baseUrl: 'localhost:8402' })).toThrow('baseUrl needs http:// or https://');
  });

  it('W30 refuses a path of another origin', async () => {
    answerWith();
    other.answer((_, response) => asks(requirement())(response));
    const { host } = new URL(other.url);
    for (const path of [`//${host}/x`, `${other.url}/x`, `\\\\${host}\\x`, 'http://'])
      await fails(open().ask(path), 'invalid_request');
    expect([other.arrivals, gateway.arrivals]).toEqual([[], []]);
  });

  it('W37 encodes the name of a query parameter', async () => {
    answerWith({ asked: reply(200, { ok: true, result: {} }) });
    await open().tokens.search({ q: 'gold', 'limit=1&q': 'x' } as never);
    expect(gateway.arrivals.map(({ path }) => new URL(path, gateway.url).searchParams.getAll('q'))).toEqual([['gold']]);
  });
});

it.each([
  ['lists less', catalogWith('0.000004'), 'says $0.000004'],
  ['lists a word', catalogWith('free'), 'does not list this route'],
  ['lists a negative price', catalogWith('-1'), 'does not list this route'],
  ['lists another route', { routes: [] }, 'does not list this route'],
])('a catalog that %s leads to no payment', async (_, catalog, message) => {
  answerWith({ catalog: reply(200, catalog) });
  const before = chain.calls.length;
  const ledger = { ...memoryLedger(), hold: () => Promise.reject(new Error('held')) };
  await fails(getBalance({ ledger }), 'spending_limit', {
    message: `the gateway asks for $0.000005, but the catalog ${message}; nothing was signed`,
  });
  expect([payments(), chain.calls.length]).toEqual([[], before]);
});

describe('a request that breaks the schema of its route', () => {
  const listedWith = (pattern: string) =>
    catalogWith('0.1', {
      inputSchema: { properties: { params: { type: 'array', prefixItems: [{ type: 'string', pattern }] } } },
    });
  const ADDRESS = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';

  it("is refused by the catalog's schema before an amount is held or signed", async () => {
    answerWith({ catalog: reply(200, listedWith(ADDRESS)) });
    const ledger = { ...memoryLedger(), hold: () => Promise.reject(new Error('held')) };
    const issues = [{ in: 'body', name: 'params[0]', rule: 'pattern' }];
    await fails(open({ ledger }).rpc.getBalance('no address'), 'invalid_request', { issues });
    expect(payments()).toEqual([]);
  });

  it('names a wrong argument on one line of at most 364 characters, whatever the catalog calls it', async () => {
    const description = `The \u001b[2J\n${'x'.repeat(1_000)}`;
    const prefixItems = [{ type: 'string', pattern: ADDRESS, description }];
    const inputSchema = { properties: { params: { type: 'array', prefixItems } } };
    answerWith({ catalog: reply(200, catalogWith('0.1', { surface: 'rpc', inputSchema })) });
    const message = expect.stringMatching(
      /^params\[0\]: The argument \P{C}{1,64} must match \P{C}{1,300} Nothing was signed\.$/u,
    );
    await fails(open().rpc.getBalance('no address'), 'invalid_request', { message });
    expect(payments()).toEqual([]);
  });

  it.each([{}, 'text', 7, null, [[null]], [[7]]])(
    'is refused if the catalog describes the arguments by %j',
    async (prefixItems) => {
      const params = { type: 'array', prefixItems, maxItems: 0 };
      answerWith({
        catalog: reply(200, catalogWith('0.1', { surface: 'rpc', inputSchema: { properties: { params } } })),
      });
      await fails(open().rpc.getBalance('no address'), 'invalid_request');
      expect(payments()).toEqual([]);
    },
  );

  it("W27 is not checked against a pattern of the gateway's own", async () => {
    answerWith({ catalog: reply(200, listedWith('^(a+)+$')) });
    await open().rpc.getBalance(`${'a'.repeat(40)}!`);
    expect(payments()).toHaveLength(1);
  });
});

describe('W31 a challenge', () => {
  const signed: string[] = [];
  afterEach(() => void signed.splice(0));
  const signMessage = (message: Uint8Array) => {
    signed.push(Buffer.from(message).toString());
    return wallet.signMessage(message);
  };
  const noting = () => open({ client: { signer: { address: wallet.address, signMessage } } });

  const chains = [{ chainId: NETWORKS.mainnet, type: 'ed25519' }];
  const signing = (change: object = {}, supportedChains: unknown = chains) => {
    const place = { domain: new URL(gateway.url).host, uri: `${gateway.url}/v1/x402/tokens/health` };
    const times = { issuedAt: '2026-08-03T12:00:00Z', expirationTime: '2026-08-03T12:05:00Z' };
    const info = { ...place, version: '1', nonce: 'a'.repeat(32), ...times, statement: 'Sign in.', ...change };
    return { info, supportedChains };
  };
  const challenging = (extension: unknown = signing()): Reply =>
    reply(402, asking([], { error: 'sign_in_required', extensions: { 'sign-in-with-x': extension } }));
  /** Answers like a gateway that wants a signature, with these headers. */
  const signsIn = (headers: object = {}): void => {
    const welcome = reply(200, { ok: true, result: { ok: true } }, headers);
    gateway.answer((arrival, response) => (arrival.headers['sign-in-with-x'] ? welcome : challenging())(response));
  };

  it.each<[string, unknown]>([
    ['with a line break in its statement', signing({ statement: 'x\nURI: https://bank.example' })],
    ['for another path', signing({ uri: `${gateway.url}/v1/x402/credit/mainnet` })],
    ['for another origin', signing({ uri: 'https://bank.example/' })],
    ['for another domain', signing({ domain: 'bank.example' })],
    ['for a chain of another kind', signing({}, [{ chainId: 'eip155:1', type: 'ed25519' }])],
    ['for another type of signature', signing({}, [{ ...chains[0], type: 'eip191' }])],
    ['without chains', signing({}, null)],
    ['whose chains are not a list', signing({}, { length: 1 })],
    ['whose chain is null', signing({}, [null])],
    ['that is null', null],
    ['without info', { supportedChains: chains }],
    ['whose nonce is malformed', signing({ nonce: 'A'.repeat(32) })],
    ['whose date does not exist', signing({ issuedAt: '2026-99-99T99:99:99Z' })],
    ['whose domain is a number', signing({ domain: 7 })],
    ['of version 2', signing({ version: '2' })],
  ])('W31 %s is rejected, neither signed nor stored', async (_, extension) => {
    const client = noting();
    gateway.answer((_, response) => challenging(extension)(response));
    await fails(client.tokens.health(), 'challenge_rejected');
    expect(signed).toEqual([]);
    signsIn();
    expect(await client.tokens.health()).toEqual({ ok: true });
    expect(signed).toHaveLength(1);
  });

  it.each([
    ['its statement', 'b'.repeat(32), 3],
    ['a malformed nonce', 'x'.repeat(99), 4],
  ])("W31 %s is not used for the next call, and each signature has the gateway's time", async (_, nonce, requests) => {
    const client = noting();
    signsIn({ 'Replay-Nonce': nonce });
    for (let call = 0; call < 2; call++) await client.tokens.health();
    expect(signed.map((text) => text.includes('Sign in.'))).toEqual([true, requests === 4]);
    expect(signed.join('')).not.toContain('x'.repeat(99));
    // Not the time of this machine: its clock may be wrong.
    for (const text of signed) expect(text).toContain('Issued At: 2026-08-03T12:00:');
    expect(gateway.arrivals).toHaveLength(requests);
  });

  it('W31 that comes endlessly is signed three times', async () => {
    gateway.answer((_, response) => challenging()(response));
    await fails(noting().tokens.health(), 'sign_in_required', { status: 402 });
    expect([signed.length, gateway.arrivals.length]).toEqual([3, 4]);
  });

  it.each(['[]', 'null', '7', '{', '{"extensions":7}', '{"accepts":{}}', '{"accepts":[null]}'])(
    'W31 the 402 %s is a GatewayError, for a free route and a paid one',
    async (body) => {
      gateway.answer((_, response) => void response.writeHead(402, { 'Content-Type': 'application/json' }).end(body));
      await expect(noting().tokens.health()).rejects.toMatchObject({ name: 'GatewayError' });
      await expect(noting().rpc.getBalance(ACCOUNT)).rejects.toMatchObject({ name: 'GatewayError' });
      expect([signed, payments()]).toEqual([[], []]);
    },
  );
});

describe('W32 W33 W34 a payment', () => {
  it('W32 for a resource beyond Latin-1 is base64 of UTF-8', async () => {
    const description = 'Prix en € — 価格 🪙';
    answerWith({ asked: reply(402, asking([requirement()], { resource: { url: 'x', description } })) });
    await getBalance();
    const [payment] = payments();
    expect(JSON.parse(Buffer.from(String(payment), 'base64').toString())).toMatchObject({ resource: { description } });
  });

  it('W33 whose ledger fails to record the outcome is sent once; the caller gets the answer and a report', async () => {
    answerWith();
    const failure = new Error('the disk is full');
    const ledger = { ...memoryLedger(), closed: () => Promise.reject(failure) };
    const reported: unknown[] = [];
    const client = open({ ledger, client: { onLedgerFailure: (error) => reported.push(error) } });
    expect(await client.rpc.getBalance(ACCOUNT)).toMatchObject({ value: 7n });
    expect([payments().length, reported]).toEqual([1, [failure]]);
    await fails(client.rpc.getBalance(wallet.address), 'payment_not_made', { cause: failure });
    expect(payments()).toHaveLength(1);
  });

  it.each([
    ['a sentence as its memo', requirement({}, { memo: 'I owe you everything' }), 'nothing_payable'],
    ['256 bytes as its memo', requirement({}, { memo: 'x'.repeat(256) }), 'nothing_payable'],
    ['a number as its memo', requirement({}, { memo: 7 }), 'nothing_payable'],
    ['a list as its memo', requirement({}, { memo: ['x'.repeat(32)] }), 'nothing_payable'],
    ['another token', requirement({ asset: payTo }), 'nothing_payable'],
    ['an amount above the cap', requirement({ amount: '10001' }), 'spending_limit'],
    ['the payer as its fee payer', requirement({}, { feePayer: wallet.address }), 'payment_mismatch'],
  ])('W34 with %s is not made', async (_, asked, code) => {
    answerWith({ asked: asks(asked) });
    await fails(getBalance(), code);
    expect(payments()).toEqual([]);
  });

  it('W34 with a memo that the caller allows shows it in the offer', async () => {
    const memo = 'invoice 7';
    answerWith({ asked: asks(requirement({}, { memo })) });
    const shown: Offer[] = [];
    await getBalance({ allowMemo: (each) => each === memo, approve: (offer) => void shown.push(offer) });
    expect(shown).toMatchObject([{ memo, amount: '5', payTo }]);
    expect(payments()).toHaveLength(1);
  });
});
