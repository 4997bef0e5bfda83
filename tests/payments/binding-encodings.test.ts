import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import {
  answersWith,
  asVersion1,
  base64,
  callOf,
  headerOf,
  leaves,
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
afterAll(() => gateway.stop());

const call = callOf('rpc.mainnet.helius.getBalance');

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
    (payment) => {
      const transaction = unpadded(transactionOf(payment));
      return v2(headerOf({ ...payment, payload: { transaction } }));
    },
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
  it.each(ENCODINGS)('first sent %s, then in every other way', async (_, first) => {
    const payment = await paymentFor(gateway, call, wallet);
    await leaves(gateway, { transfers: 1, arrivals: 1 }, async () => {
      const bought = await send(gateway, call, first(payment));
      expect([bought.status, bought.headers.get(HEADERS.replayed)]).toEqual([200, null]);
      const [answer, receipt] = [await bought.text(), receiptOf(bought)];
      await leavesNoTrace(gateway, async () => {
        for (const [name, encoding] of ENCODINGS) {
          const again = await send(gateway, call, encoding(payment));
          expect([again.status, again.headers.get(HEADERS.replayed)], name).toEqual([200, 'true']);
          expect([await again.text(), receiptOf(again)], name).toEqual([answer, receipt]);
          expect(again.headers.has(HEADERS.version1PaymentResponse), name).toBe(
            HEADERS.version1Payment in encoding(payment),
          );
        }
      });
    });
  });

  it('all encodings at once: one buys, the others get 409 or its answer', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    await leaves(gateway, { transfers: 1, arrivals: 1 }, async () => {
      const answers = await Promise.all(ENCODINGS.map(([, encoding]) => send(gateway, call, encoding(payment))));
      const fresh = answers.filter(({ status, headers }) => status === 200 && !headers.has(HEADERS.replayed));
      expect(fresh).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(answer.headers.get('retry-after')).toBe('1');
        await answersWith(409, 'payment_in_progress', 'in_progress', Promise.resolve(answer));
      }
    });
  });
});

describe('P4 two payment headers that differ are refused, and neither payment is used', () => {
  const pairs: readonly (readonly [string, (one: PaymentPayload, two: PaymentPayload) => Headers])[] = [
    ['two payments', (one, two) => ({ ...v2(headerOf(one)), ...old(headerOf(two)) })],
    ['one payment in two spellings', (one) => ({ ...v2(headerOf(one)), ...old(headerOf(reversed(one))) })],
    ['one payment in two versions', (one) => ({ ...v2(headerOf(one)), ...old(headerOf(asVersion1(one))) })],
    ['a payment and nothing', (one) => ({ ...v2(headerOf(one)), ...old('') })],
    ['nothing and a payment', (one) => ({ ...v2(''), ...old(headerOf(one)) })],
    ['a payment twice in one header', (one) => v2(`${headerOf(one)}, ${headerOf(one)}`)],
    ['two payments in one header', (one, two) => old(`${headerOf(one)}, ${headerOf(two)}`)],
  ];
  it.each(pairs)('%s', async (_, headersOf) => {
    const [one, two] = [await paymentFor(gateway, call, wallet), await paymentFor(gateway, call, wallet)];
    await leavesNoTrace(gateway, () => refusedWith('payment_malformed', send(gateway, call, headersOf(one, two))));
    for (const payment of [one, two]) {
      const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () =>
        send(gateway, call, v2(headerOf(payment))),
      );
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  });
});
