import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw, statusOf } from '../kit/raw.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { jsonTestSuite } from '../signin/vectors.ts';
import {
  base64,
  callOf,
  headerOf,
  leaves,
  leavesNoTrace,
  paymentFor,
  ROOMY,
  refusedWith,
  send,
  sendPaid,
  transactionOf,
} from './calls.ts';
import { openWallet, type Wallet } from './wallets.ts';

let gateway: SellingGateway;
let wallet: Wallet;
beforeAll(async () => {
  gateway = await startSellingGateway(ROOMY);
  wallet = await openWallet(gateway.solana);
});
afterAll(() => gateway.stop());

const call = callOf('rpc.mainnet.helius.getBalance');
const NAMES = [HEADERS.payment, HEADERS.version1Payment];
const MAX_HEADER = 8192;

const malformed = (header: string, name: string = HEADERS.payment): Promise<void> =>
  refusedWith('payment_malformed', send(gateway, call, { [name]: header }));

describe('P4 402 for a malformed payment', () => {
  it.each(NAMES)(
    'that is any of the 318 files of JSONTestSuite in %s, or 431 where that is too large',
    async (name) => {
      const files = jsonTestSuite().map((file) => ({ ...file, header: base64(file.bytes) }));
      expect(files).toHaveLength(318);
      await leavesNoTrace(gateway, async () => {
        for (const { header } of files.filter((file) => file.header.length < 15_000)) await malformed(header, name);
        const [huge] = files.filter((file) => file.header.length >= 15_000);
        const lines = [`POST ${call.target} HTTP/1.1`, 'Host: x', `${name}: ${huge?.header}`, 'Connection: close'];
        expect(statusOf(await sendRaw(gateway.port, `${lines.join('\r\n')}\r\n\r\n`, 2000))).toBe(431);
      });
    },
  );

  it('that is not canonical base64 of JSON in UTF-8', async () => {
    const payment = await paymentFor(gateway, call, wallet);
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
    await leavesNoTrace(gateway, async () => {
      for (const each of bad) for (const name of NAMES) await malformed(each, name);
    });
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => sendPaid(gateway, call, payment));
    expect(response.status).toBe(200);
  });

  const wrappers: readonly (readonly [string, (payment: PaymentPayload) => unknown])[] = [
    ['version 3', (payment) => ({ ...payment, x402Version: 3 })],
    ['a version that is text', (payment) => ({ ...payment, x402Version: '2' })],
    ['no version', ({ x402Version: _, ...rest }) => rest],
    ['no payload', ({ payload: _, ...rest }) => rest],
    ['a payload that is null', (payment) => ({ ...payment, payload: null })],
    ['a payload that is text', (payment) => ({ ...payment, payload: transactionOf(payment) })],
    ['a payload that is a list', (payment) => ({ ...payment, payload: [transactionOf(payment)] })],
    ['no transaction', (payment) => ({ ...payment, payload: {} })],
    ['a transaction that is a number', (payment) => ({ ...payment, payload: { transaction: 1 } })],
    ['an empty transaction', (payment) => ({ ...payment, payload: { transaction: '' } })],
    [
      'a transaction in hex',
      (payment) => ({
        ...payment,
        payload: { transaction: `${Buffer.from(transactionOf(payment), 'base64').toString('hex')}-` },
      }),
    ],
    ['version 1 without scheme', (payment) => ({ x402Version: 1, network: 'solana', payload: payment.payload })],
    [
      'version 1 of another scheme',
      (payment) => ({
        x402Version: 1,
        scheme: 'upto',
        network: 'solana',
        payload: payment.payload,
      }),
    ],
  ];
  it.each(wrappers)('that has %s', async (_, wrapped) => {
    const payment = await paymentFor(gateway, call, wallet);
    await leavesNoTrace(gateway, async () => {
      for (const name of NAMES) await malformed(headerOf(wrapped(payment)), name);
    });
  });

  it('of more than 8 KiB, where one of just 8 KiB buys', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    const size = (note: string) => headerOf({ ...payment, note }).length;
    const room = Math.floor(((MAX_HEADER - size('')) * 3) / 4);
    const fits = { ...payment, note: 'x'.repeat(room - 3) };
    const large = { ...payment, note: 'x'.repeat(room + 6) };
    expect([headerOf(fits).length <= MAX_HEADER, headerOf(large).length > MAX_HEADER]).toEqual([true, true]);
    await leavesNoTrace(gateway, () => malformed(headerOf(large)));
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => sendPaid(gateway, call, fits));
    expect(response.status).toBe(200);
  });
});

describe('P4 402 for a transaction that cannot be read', () => {
  const changes: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ['is one byte', () => Buffer.of(1)],
    ['is noise', () => Buffer.alloc(300, 0xa5)],
    ['is cut short', (bytes) => bytes.subarray(0, -1)],
    ['has a byte more', (bytes) => Buffer.concat([bytes, Buffer.of(0)])],
    ['is larger than a packet', (bytes) => Buffer.concat([bytes, Buffer.alloc(1233 - bytes.length)])],
    ['says its length in two bytes', (bytes) => Buffer.concat([Buffer.of(0x82, 0), bytes.subarray(1)])],
    ['is of version 1', (bytes) => Buffer.from(bytes).fill(0x81, 129, 130)],
  ];
  it.each(changes)('because it %s', async (_, change) => {
    const payment = await paymentFor(gateway, call, wallet);
    const transaction = base64(change(Buffer.from(transactionOf(payment), 'base64')));
    const code = 'invalid_exact_svm_payload_transaction_could_not_be_decoded';
    await leavesNoTrace(gateway, () =>
      refusedWith(code, sendPaid(gateway, call, { ...payment, payload: { transaction } })),
    );
  });

  it('whichever of its bytes is another', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    const bytes = Buffer.from(transactionOf(payment), 'base64');
    const FEE_PAYER_SLOT = 65;
    await leavesNoTrace(gateway, async () => {
      for (let index = FEE_PAYER_SLOT; index < bytes.length; index++) {
        const other = Buffer.from(bytes);
        other[index] = (other[index] ?? 0) ^ (1 << (index % 8));
        const response = await sendPaid(gateway, call, { ...payment, payload: { transaction: base64(other) } });
        const { ok, payment: state } = (await response.json()) as { ok: boolean; payment: unknown };
        expect([response.status, ok, state], `byte ${index}`).toEqual([402, false, { state: 'refused' }]);
      }
    });
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => sendPaid(gateway, call, payment));
    expect(response.status).toBe(200);
  });
});
