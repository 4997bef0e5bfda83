import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, describe, expect, it } from 'vitest';
import { sendRaw, statusOf } from '../kit/raw.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
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
import { openWallet } from './wallets.ts';

const gateway = await startSellingGateway(ROOMY);
const wallet = await openWallet(gateway.solana);
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
