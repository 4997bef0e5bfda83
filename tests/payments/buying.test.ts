import { DEFAULT_PRICING, HEADERS, NETWORKS, priceMicros, type Route, USDC } from '@asset-gateway/protocol';
import { isPaymentRequired, PaymentRequiredV2Schema } from '@x402/core/schemas';
import type { PaymentPayload } from '@x402/core/types';
import { decodePaymentResponseHeader } from '@x402/fetch';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Inbound } from '../../packages/gateway/src/call.ts';
import { InProcessFacilitator } from '../../packages/gateway/src/payments/facilitator/local.ts';
import { carriedPayment } from '../../packages/gateway/src/payments/read/payment.ts';
import { requestHashOf } from '../../packages/gateway/src/payments/read/requirement.ts';
import { type Example, jsonInit } from '../http/targets.ts';
import { everyThird, samples } from '../kit/rounds.ts';
import { standIn } from '../kit/stand-in.ts';
import { DEFAULT_PRICES, startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { jsonTestSuite } from '../signin/vectors.ts';
import {
  answersWith,
  asVersion1,
  base64,
  bodyOf,
  buys,
  callOf,
  headerOf,
  leaves,
  leavesNoTrace,
  paidRoutes,
  paymentFor,
  ROOMY,
  refusedWith,
  rowOf,
  sampledRoutes,
  send,
  sendPaid,
  transactionOf,
} from './calls.ts';
import { openWallet } from './wallets.ts';

/** One blockhash for all payments. */
const solana = await startChains({ blockMs: Number.POSITIVE_INFINITY });
const gateway = await startSellingGateway({ ...ROOMY, ...DEFAULT_PRICES }, { solana });
const wallet = await openWallet(solana);

const rows = sampledRoutes.map((row) => [row.id, row] as const);
const receiptIn = (response: Response, header: string = HEADERS.paymentResponse) =>
  decodePaymentResponseHeader(response.headers.get(header) ?? headerOf(null));

describe('the official client buys', () => {
  it.each(rows)('%s', async (_, row) => {
    const { target, init } = callOf(row);
    const { cluster = 'mainnet' } = row;
    const chain = solana[cluster];
    const before = await chain.usdcBalance(solana.payTo);
    const simulations = () => chain.calls.filter(({ method }) => method === 'simulateTransaction').length;
    const simulated = simulations();
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () =>
      wallet.buy(`${gateway.url}${target}`, init),
    );
    expect([response.status, (await bodyOf(response)).ok]).toEqual([200, true]);
    expect(simulations()).toBe(simulated + 1);
    const amount = BigInt(priceMicros(row, DEFAULT_PRICING));
    expect((await chain.usdcBalance(solana.payTo)) - before).toBe(amount);
    const transfer = chain.transfers.at(-1);
    expect(transfer).toMatchObject({ from: wallet.address, to: solana.payTo, amount });
    const receipt = { success: true, transaction: transfer?.signature, payer: wallet.address };
    expect(receiptIn(response)).toEqual({ ...receipt, network: NETWORKS[cluster] });
    expect(response.headers.get(HEADERS.version1PaymentResponse)).toBeNull();
  });

  it('a call whose price contains another settlement fee: the 402, the transfer and the envelope agree on it', async () => {
    const dear = await startSellingGateway({ SETTLEMENT_FEE_USD_MICROS: '600' }, { solana });
    const { target, init } = callOf('wallet.mainnet.helius.balances');
    const response = await wallet.buy(`${dear.url}${target}`, init);
    expect(await response.json()).toMatchObject({ ok: true, priceUsd: '0.0011' });
    expect(solana.mainnet.transfers.at(-1)?.amount).toBe(1100n);
    await dear.stop();
  });
});

const call = callOf('rpc.mainnet.helius.getBalance');

it('once the fee budget is used up, nothing is called or sent, and a payment stays unused', async () => {
  const frugal = await startSellingGateway({ ...ROOMY, FEE_BUDGET_LAMPORTS_PER_HOUR: '21000' }, { solana });
  await buys(frugal, call, await paymentFor(frugal, call, wallet));
  const next = await paymentFor(frugal, call, wallet);
  await leavesNoTrace(frugal, () =>
    answersWith(503, 'facilitator_unavailable', 'unused', sendPaid(frugal, call, next)),
  );
  await frugal.stop();
});

it('while nothing can be settled, a payment stays unused, and an earlier one brings its answer again', async () => {
  const [earlier, later] = [await paymentFor(gateway, call, wallet), await paymentFor(gateway, call, wallet)];
  await buys(gateway, call, earlier);
  const closed = vi.spyOn(InProcessFacilitator.prototype, 'whyClosed').mockReturnValue('no SOL');
  onTestFinished(() => closed.mockRestore());
  await leavesNoTrace(gateway, async () => {
    await answersWith(503, 'facilitator_unavailable', 'unused', sendPaid(gateway, call, later));
    expect((await sendPaid(gateway, call, earlier)).headers.get(HEADERS.replayed)).toBe('true');
  });
  closed.mockRestore();
  await buys(gateway, call, later);
});

const ROWS = [
  ['mainnet', 'rpc.mainnet.helius.getBalance', 'solana'],
  ['devnet', 'das.devnet.helius.getAsset', 'solana-devnet'],
] as const;

describe('X-PAYMENT buys as well', () => {
  describe.each([
    ['version 1', asVersion1],
    ['version 2', (payment: unknown) => payment],
  ] as const)('with a payment of %s', (_, wrapped) => {
    it.each(ROWS)('on %s: %s', async (cluster, id, short) => {
      const payment = wrapped(await paymentFor(gateway, callOf(id), wallet));
      const response = await buys(gateway, callOf(id), payment, { [HEADERS.version1Payment]: headerOf(payment) });
      expect((await bodyOf(response)).ok).toBe(true);
      const transaction = solana[cluster].transfers.at(-1)?.signature;
      const receipt = { success: true, transaction, payer: wallet.address };
      expect(receiptIn(response)).toEqual({ ...receipt, network: NETWORKS[cluster] });
      expect(receiptIn(response, HEADERS.version1PaymentResponse)).toEqual({ ...receipt, network: short });
    });
  });
});

describe('a payment buys', () => {
  it.each([
    ['another resource and unknown extensions', { resource: { url: 'https://evil.test' }, extensions: { x: 1 } }],
    ['no resource and no extensions', { resource: undefined, extensions: undefined }],
    ['unknown members', { note: 'x', toString: 1 }],
  ])('with %s', async (_, others) => {
    await buys(gateway, call, { ...(await paymentFor(gateway, call, wallet)), ...others });
  });

  it('with members that the client added to extra', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    const extra = { ...payment.accepted.extra, recentBlockhash: 'x', lastValidBlockHeight: 1 };
    await buys(gateway, call, { ...payment, accepted: { ...payment.accepted, extra } });
  });

  it('by HEAD the answer that GET gets', async () => {
    const get = callOf('wallet.mainnet.helius.balances');
    const payment = await paymentFor(gateway, get, wallet);
    const bought = await buys(gateway, { ...get, init: { ...get.init, method: 'HEAD' } }, payment);
    expect(await bought.text()).toBe('');
    const repeated = await leavesNoTrace(gateway, () => sendPaid(gateway, get, payment));
    expect([repeated.status, repeated.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
    expect((await bodyOf(repeated)).result).toBeDefined();
    for (const name of [HEADERS.paymentResponse, 'content-length']) {
      expect(repeated.headers.get(name)).toBe(bought.headers.get(name));
    }
  });

  it('twice if two payments for one request are made under the same blockhash', async () => {
    const payments = [await paymentFor(gateway, call, wallet), await paymentFor(gateway, call, wallet)];
    expect(new Set(payments.map(transactionOf)).size).toBe(2);
    for (const payment of payments) await buys(gateway, call, payment);
    const [a, b] = solana.mainnet.transfers.slice(-2);
    expect(a?.signature).not.toBe(b?.signature);
    expect(a?.memo).not.toBe(b?.memo);
  });
});

const BROWSER = { Accept: 'text/html,application/xhtml+xml', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' };
const balances = callOf('wallet.mainnet.helius.balances');
const posting = (body: string, type = 'application/json'): Example => ({
  target: call.target,
  init: { method: 'POST', headers: { 'Content-Type': type }, body },
});

/** Requests without a payment. Each gets a 402, also with other faults. */
const PROBES: readonly (readonly [string, Example])[] = [
  ['a browser', { ...balances, init: { method: 'GET', headers: BROWSER } }],
  ['a browser that posts', { ...call, init: { ...call.init, headers: BROWSER } }],
  ['unknown parameters', { ...call, target: `${call.target}?nobody=knows&nobody=asks` }],
  ['HEAD', { ...balances, init: { ...balances.init, method: 'HEAD' } }],
  ['an address that is none', callOf('wallet.mainnet.helius.balances', { path: { wallet: 'O0lI' } })],
  ['no body', { target: call.target, init: { method: 'POST', headers: {} } }],
  ['an empty body', posting('')],
  ['an empty object', posting('{}')],
  ['a body that is not JSON', posting('{"params":')],
  ['a body that breaks the schema', posting('{"params":"x","wallets":[]}')],
  ['another content type', posting('{}', 'text/plain')],
];

describe('P17 a probe without a payment is a 402 payment_required', () => {
  it.each(PROBES)('P17 %s', async (_, probe) => {
    const response = await leavesNoTrace(gateway, () => send(gateway, probe));
    const header = response.headers.get(HEADERS.paymentRequired) ?? '';
    const required = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;
    expect([response.status, response.headers.get('cache-control')]).toEqual([402, 'no-store']);
    expect([PaymentRequiredV2Schema.safeParse(required).error, isPaymentRequired(required)]).toEqual([undefined, true]);
    const url = `${gateway.url}${probe.target}`;
    expect(required).toMatchObject({ x402Version: 2, error: 'payment_required', resource: { url } });
    const text = await response.text();
    if (probe.init.method === 'HEAD') return expect(text).toBe('');
    expect(JSON.parse(text)).toMatchObject({ ...required, ok: false, payment: { state: 'unused' } });
  });
});

it('P17 challenges use no budget', async () => {
  const asset = callOf('das.mainnet.helius.getAsset');
  const strict = await startSellingGateway({ DAS_RATE_LIMIT_PER_SECOND: '1' }, { solana });
  await leavesNoTrace(gateway, async () => {
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await send(strict, asset)).status));
    expect(new Set(statuses)).toEqual(new Set([402]));
  });
  await strict.stop();
});

const pay = () => paymentFor(gateway, call, wallet);

type Headers = Readonly<Record<string, string>>;
type Encoding = (payment: PaymentPayload) => Headers;

const v2 = (text: string): Headers => ({ [HEADERS.payment]: text });
const old = (text: string): Headers => ({ [HEADERS.version1Payment]: text });
const unpadded = (text: string): string => text.replace(/=+$/, '');

/** The same transaction with another fee payer's signature, which is ours to make. */
function withJunk(payment: PaymentPayload, byte: number): PaymentPayload {
  const bytes = Buffer.from(transactionOf(payment), 'base64').fill(byte, 1, 65);
  return { ...payment, payload: { transaction: base64(bytes) } };
}

const reversed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      )
    : value;

/** The text with a space more until its base64 needs padding. */
function padded(text: string): string {
  const encoded = base64(text);
  return encoded.endsWith('=') ? encoded : padded(`${text} `);
}

/** The same JSON with a letter of its texts written as an escape. */
const escaped = (json: string): string => json.replace(/"(?:[^"\\]|\\.)*"/g, (text) => text.replaceAll('a', '\\u0061'));

const ENCODINGS: readonly (readonly [string, Encoding])[] = [
  ['as the client wrote it', (payment) => v2(headerOf(payment))],
  ['with spaces in its JSON', (payment) => v2(base64(JSON.stringify(payment, null, 2)))],
  ['with its members in another order', (payment) => v2(headerOf(reversed(payment)))],
  ['without padding', (payment) => v2(unpadded(padded(JSON.stringify(payment))))],
  [
    'without padding inside',
    (payment) => v2(headerOf({ ...payment, payload: { transaction: unpadded(transactionOf(payment)) } })),
  ],
  ['with junk for the fee payer’s signature', (payment) => v2(headerOf(withJunk(payment, 0xff)))],
  ['with other junk there', (payment) => old(headerOf(withJunk(payment, 1)))],
  ['in X-PAYMENT', (payment) => old(headerOf(payment))],
  ['in version 1', (payment) => old(headerOf(asVersion1(payment)))],
  ['in version 1, in PAYMENT-SIGNATURE', (payment) => v2(headerOf(asVersion1(payment)))],
  ['with more members', (payment) => v2(headerOf({ a: 1, ...payment, payload: { ...payment.payload, b: 2 } }))],
  ['with escapes in its JSON', (payment) => v2(base64(escaped(JSON.stringify(payment))))],
  [
    'with a member twice',
    (payment) => v2(base64(`{"payload":{"transaction":"AAAA"},${JSON.stringify(payment).slice(1)}`)),
  ],
  ['in both headers', (payment) => ({ ...v2(headerOf(payment)), ...old(headerOf(payment)) })],
];

const receiptOf = (response: Response) => response.headers.get(HEADERS.paymentResponse);

describe('P2 the same transaction is the same payment in every encoding', () => {
  const rows = ENCODINGS.map((encoding, row) => [...encoding, row] as const);
  it.each(rows)('first sent %s, then in every other way', async (_, first, row) => {
    const payment = await pay();
    const bought = await buys(gateway, call, payment, first(payment));
    const [answer, receipt] = [await bought.text(), receiptOf(bought)];
    await leavesNoTrace(gateway, async () => {
      for (const [name, encoding] of everyThird(ENCODINGS, row)) {
        const again = await send(gateway, call, encoding(payment));
        expect([again.status, again.headers.get(HEADERS.replayed)], name).toEqual([200, 'true']);
        expect([await again.text(), receiptOf(again)], name).toEqual([answer, receipt]);
        const isOld = HEADERS.version1Payment in encoding(payment);
        expect(again.headers.has(HEADERS.version1PaymentResponse), name).toBe(isOld);
      }
    });
  });
});

it('P4 two payment headers that differ are refused, and neither payment is used', async () => {
  const [one, two] = [await pay(), await pay()];
  const different: readonly Headers[] = [
    { ...v2(headerOf(one)), ...old(headerOf(two)) },
    { ...v2(headerOf(one)), ...old(headerOf(reversed(one))) },
    { ...v2(headerOf(one)), ...old(headerOf(asVersion1(one))) },
    { ...v2(headerOf(one)), ...old('') },
    { ...v2(''), ...old(headerOf(one)) },
    v2(`${headerOf(one)}, ${headerOf(one)}`),
    old(`${headerOf(one)}, ${headerOf(two)}`),
  ];
  await leavesNoTrace(gateway, async () => {
    for (const headers of different) await refusedWith('payment_malformed', send(gateway, call, headers));
  });
  for (const payment of [one, two]) await buys(gateway, call, payment);
});

const NAMES = [HEADERS.payment, HEADERS.version1Payment];
const MAX_HEADER = 8192;

/** What a header holds, before it is compared with the request. */
const carriedIn = (header: string, name: string = HEADERS.payment) =>
  carriedPayment(standIn<Inbound>({ headers: { [name.toLowerCase()]: header } }));

const malformed = (header: string): Promise<void> =>
  leavesNoTrace(gateway, () => refusedWith('payment_malformed', send(gateway, call, v2(header))));

describe('P4 402 for a malformed payment', () => {
  it.each(NAMES)('that is any of the 318 files of JSONTestSuite in %s', (name) => {
    const files = jsonTestSuite();
    expect(files).toHaveLength(318);
    for (const { name: file, bytes } of files) expect(carriedIn(base64(bytes), name), file).toBe('malformed');
  });

  it('that is not canonical base64 of JSON in UTF-8', async () => {
    const payment = await pay();
    const json = JSON.stringify(payment);
    const header = base64(json);
    const odd = base64(`${json}${' '.repeat((3 - (json.length % 3)) % 3)} `);
    const bad = [
      '',
      '=',
      '====',
      `.${header}`,
      `${header}====`,
      `${header.slice(0, 40)} ${header.slice(40)}`,
      `${header.slice(0, 40)}-_${header.slice(42)}`,
      odd.replace(/(.)(=+)$/, (_, last: string, end: string) => String.fromCharCode(last.charCodeAt(0) + 1) + end),
      json,
      header.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`),
      base64(`\ufeff${json}`),
      base64(Buffer.from(json, 'utf16le')),
      base64(Buffer.concat([Buffer.from(json), Buffer.of(0xff)])),
      base64(`${json}${json}`),
      base64(`${json},`),
      base64(json.slice(0, -1)),
    ];
    bad.push(...['null', '[]', '1', '1e999', '""', 'true', '{}', `[${json}]`, JSON.stringify(json)].map(base64));
    for (const each of bad) for (const name of NAMES) expect(carriedIn(each, name), each).toBe('malformed');
    await malformed(header.slice(1));
    await buys(gateway, call, payment);
  });

  it('that is in a wrong wrapper', async () => {
    const payment = await pay();
    const transaction = transactionOf(payment);
    const hex = `${Buffer.from(transaction, 'base64').toString('hex')}-`;
    const payloads = [
      undefined,
      null,
      transaction,
      [transaction],
      {},
      ...[1, '', hex].map((it) => ({ transaction: it })),
    ];
    const wrong = [
      ...[3, '2', undefined].map((x402Version) => ({ ...payment, x402Version })),
      ...payloads.map((payload) => ({ ...payment, payload })),
      ...[undefined, 'upto'].map((scheme) => ({ ...(asVersion1(payment) as object), scheme })),
    ];
    for (const each of wrong) {
      for (const name of NAMES) expect(carriedIn(headerOf(each), name), JSON.stringify(each)).toBe('malformed');
    }
    expect(carriedIn(headerOf(payment))).toMatchObject({ version: 2 });
  });

  it('of more than 8 KiB, where one of just 8 KiB buys', async () => {
    const payment = await pay();
    const size = (note: string) => headerOf({ ...payment, note }).length;
    const room = Math.floor(((MAX_HEADER - size('')) * 3) / 4);
    const fits = { ...payment, note: 'x'.repeat(room - 3) };
    const large = { ...payment, note: 'x'.repeat(room + 6) };
    expect([headerOf(fits).length <= MAX_HEADER, headerOf(large).length > MAX_HEADER]).toEqual([true, true]);
    await malformed(headerOf(large));
    await buys(gateway, call, fits);
  });
});

const elsewhere = callOf('rpc.devnet.helius.getBalance');

const MISMATCH = 'no_matching_requirements';
const post = (body: string): Example => ({ target: call.target, init: jsonInit(body) });
const balancesWith = (query: string): Example => {
  const { target, init } = callOf('wallet.mainnet.helius.balances');
  return { target: `${target}${query}`, init };
};
const A = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const identity = (wallet: string) => callOf('wallet.mainnet.helius.identity', { path: { wallet } });

/** Requests of mainnet, and others that a payment for each must not buy. */
const OTHERS: readonly (readonly [string, Example, readonly Example[]])[] = [
  ['another route', call, ['rpc.mainnet.alchemy.getBalance', 'das.mainnet.helius.getAsset'].map((id) => callOf(id))],
  ['another body, be it only in its spaces', post(`{"params":["${A}"]}`), [post(`{"params":["${A}"]}\n`), post('')]],
  ['another path parameter', identity(A), [identity('toly.sol'), identity(A.toLowerCase())]],
  ['another query', balancesWith('?page=1&limit=10'), [balancesWith(''), balancesWith('?page=10&limit=1')]],
];

describe('P3 a payment buys only the request that it was made for', () => {
  it.each(OTHERS)('P3 %s, neither before it has settled nor after', async (_, call, others) => {
    const payment = await paymentFor(gateway, call, wallet);
    await leavesNoTrace(gateway, async () => {
      for (const other of others) await refusedWith(MISMATCH, sendPaid(gateway, other, payment));
    });
    await buys(gateway, call, payment);
    await leavesNoTrace(gateway, async () => {
      for (const other of others) {
        await answersWith(409, 'payment_already_used', 'settled', sendPaid(gateway, other, payment));
      }
    });
  });
});

type Accepted = Readonly<Record<string, unknown>>;
type Change = (accepted: Accepted) => unknown;
const set =
  (name: string, value: unknown): Change =>
  (accepted) => ({ ...accepted, [name]: value });
const extra =
  (name: string, value: unknown): Change =>
  (accepted) => ({ ...accepted, extra: { ...(accepted.extra as object), [name]: value } });

const CHANGES: readonly (readonly [string, Change])[] = [
  ['a lower amount', set('amount', '1')],
  ['an amount that is a number', set('amount', 5)],
  ['another payee', set('payTo', A)],
  ['another asset', set('asset', USDC.devnet)],
  ['another scheme', set('scheme', 'upto')],
  ['another network', set('network', NETWORKS.devnet)],
  ['a longer time-out', set('maxTimeoutSeconds', 3600)],
  ['another fee payer', extra('feePayer', A)],
  ['another memo', extra('memo', 'A'.repeat(32))],
  ['no memo', extra('memo', undefined)],
  ['a member that was not offered', set('paymentFlow', 'upfront')],
  ['a member named __proto__', (accepted) => JSON.parse(`{"__proto__":{},${JSON.stringify(accepted).slice(1)}`)],
  ...['network', 'amount', 'extra'].map((name) => [`no ${name}`, set(name, undefined)] as const),
  ['extra that is null', set('extra', null)],
  ['extra that is a list', (accepted) => ({ ...accepted, extra: [accepted.extra] })],
  ['a member of version 1', set('maxAmountRequired', '5')],
  ['nothing', () => undefined],
  ['null', () => null],
  ['a list', (accepted) => [accepted]],
  ['an empty object', () => ({})],
];

const withAccepted = (payment: PaymentPayload, change: Change): unknown => ({
  ...payment,
  accepted: change({ ...payment.accepted }),
});

describe('P15 a payment with an altered copy of the requirement', () => {
  it('P15 buys nothing before it settles; afterwards it gets the stored answer', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    await leavesNoTrace(gateway, async () => {
      for (const [name, change] of CHANGES) {
        const body = await bodyOf(await sendPaid(gateway, call, withAccepted(payment, change)));
        expect([name, body.ok, body.error, body.payment]).toEqual([name, false, MISMATCH, { state: 'refused' }]);
      }
    });
    await buys(gateway, call, payment);
    await leavesNoTrace(gateway, async () => {
      for (const [name, change] of CHANGES) {
        const response = await sendPaid(gateway, call, withAccepted(payment, change));
        expect([response.status, response.headers.get(HEADERS.replayed)], name).toEqual([200, 'true']);
        await response.arrayBuffer();
      }
    });
  });
});

describe('P16 a payment on one cluster buys nothing on the other', () => {
  it.each([
    ['devnet', elsewhere, call],
    ['mainnet', call, elsewhere],
  ] as const)('made on %s', async (_, made, sent) => {
    const payment = await paymentFor(gateway, made, wallet);
    const { accepted: wanted } = await paymentFor(gateway, sent, wallet);
    const dressed = { ...payment, accepted: wanted };
    const short = wanted.network === NETWORKS.mainnet ? 'solana' : 'solana-devnet';
    await leavesNoTrace(gateway, async () => {
      await refusedWith(MISMATCH, sendPaid(gateway, sent, payment));
      await refusedWith(MISMATCH, sendPaid(gateway, sent, asVersion1(payment)));
      for (const disguised of [dressed, { ...(asVersion1(payment) as object), network: short }]) {
        await refusedWith('invalid_exact_svm_payload_mint_mismatch', sendPaid(gateway, sent, disguised));
      }
    });
    await buys(gateway, made, payment);
  });
});

/** A call as the pipeline hands it to the gate. */
function hashOf(
  route: Route,
  parameters: Record<string, string> = {},
  query?: string,
  more: Partial<Inbound> = {},
): string {
  const { httpMethod: method, path } = route;
  const body = new Uint8Array();
  const inbound = { method, target: path, headers: {}, hosts: [], port: 1, body, client: '', ...more };
  return requestHashOf({ inbound, route, method, parameters, path: inbound.target, query });
}

const posted = (body: Uint8Array | string) =>
  hashOf(rowOf('rpc.mainnet.helius.getBalance'), {}, undefined, { body: Buffer.from(body) });
const get = (parameters: Record<string, string>, query?: string, more?: Partial<Inbound>) =>
  hashOf(rowOf('wallet.mainnet.helius.balances'), parameters, query, more);

describe('the hash of a request', () => {
  it('differs for every paid route', () => {
    expect(new Set(paidRoutes.map((route) => hashOf(route))).size).toBe(paidRoutes.length);
  });

  it('is bound to every byte of the body', () => {
    const check = (one: Uint8Array, other: Uint8Array) => {
      expect(posted(one) === posted(other)).toBe(Buffer.from(one).equals(other));
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2 }), fc.uint8Array({ maxLength: 2 }), check));
    expect(posted('{}')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is bound to the value of every path parameter, and to its name', () => {
    const check = (one: Record<string, string>, other: Record<string, string>) => {
      const same = JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
      expect(get(one) === get(other)).toBe(same);
    };
    const values = fc.dictionary(fc.constantFrom('wallet', 'mint', 'a', 'b'), fc.string({ maxLength: 3 }));
    fc.assert(fc.property(values, values, check), { numRuns: samples(300) });
  });

  const pair = fc
    .tuple(fc.stringMatching(/^[a-z]{1,4}$/), fc.stringMatching(/^[\w%.]{0,4}$/))
    .map((it) => it.join('='));

  it('is bound to every pair of the query, in any order', () => {
    const pairs = fc.array(pair, { maxLength: 6 }).chain((all) => {
      const shuffled = fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
      return fc.tuple(fc.constant(all), fc.oneof(shuffled, fc.array(pair, { maxLength: 4 })));
    });
    const check = ([one, other]: readonly (readonly string[])[]) => {
      const same = one?.toSorted().join('&') === other?.toSorted().join('&');
      expect(get({}, one?.join('&')) === get({}, other?.join('&'))).toBe(same);
    };
    fc.assert(fc.property(pairs, check), { numRuns: samples(300) });
  });

  it('is the same for an empty query as for none, in any spelling of the path, for HEAD, and with a body of a GET', () => {
    const parameters = { wallet: 'x' };
    const others = [{ target: '/v1/elsewhere' }, { body: Buffer.from('{}') }, { method: 'HEAD' }];
    const hashes = ['', undefined].flatMap((query) => [{}, ...others].map((more) => get(parameters, query, more)));
    expect(new Set(hashes).size).toBe(1);
  });

  it('does not let parts run into each other', () => {
    expect(get({ a: '1' }, 'b=2')).not.toBe(get({ a: '1","b=2' }));
    expect(get({}, 'a=1&b=2')).not.toBe(get({}, 'a=1%26b=2'));
    expect(get({}, 'a=1')).not.toBe(get({ a: '1' }));
  });
});
