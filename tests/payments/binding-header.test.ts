import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { describe, expect, it } from 'vitest';
import type { Inbound } from '../../packages/gateway/src/call.ts';
import { carriedPayment } from '../../packages/gateway/src/payments/read/payment.ts';
import { everyThird } from '../kit/rounds.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { jsonTestSuite } from '../signin/vectors.ts';
import {
  asVersion1,
  base64,
  buys,
  callOf,
  headerOf,
  leavesNoTrace,
  paymentFor,
  ROOMY,
  refusedWith,
  send,
  transactionOf,
} from './calls.ts';
import { openWallet } from './wallets.ts';

const gateway = await startSellingGateway(ROOMY);
const wallet = await openWallet(gateway.solana);
const call = callOf('rpc.mainnet.helius.getBalance');
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
  carriedPayment({ headers: { [name.toLowerCase()]: header } } as unknown as Inbound);

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
