import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Background } from '../../packages/gateway/src/background.ts';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import type { Payment } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { RemoteFacilitator } from '../../packages/gateway/src/payments/facilitator/remote.ts';
import { requirementOf } from '../kit/ledger.ts';
import { type Arrival, json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { addressOf, signatureOver } from './drafts.ts';

const server = await startStrangeGateway();
const network = NETWORKS.mainnet;
const keypair = newKeypair();
const message = Buffer.from('a message');
const signature = bs58.encode(signatureOver(message, keypair));
const foreign = bs58.encode(signatureOver(message, newKeypair()));
const INVALID = 'invalid_exact_svm_transaction_simulation_failed';
const MISMATCH = 'invalid_exact_svm_payload_recipient_mismatch';
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A facilitator under a path. */
function open(authorization?: string) {
  const background = new Background();
  const url = `${server.url}/base/x402/`;
  const facilitator = new RemoteFacilitator({ url, authorization, crypto: nodeCrypto, background });
  onTestFinished(() => facilitator.close());
  return { facilitator, failures: () => background.counts.get('facilitator') };
}

const reply = (body: unknown, status = 200): void => server.answer((_, response) => json(response, status, body));
/** What arrived first. */
const arrival = (): Arrival => server.arrivals[0] ?? { method: '', path: '', headers: {}, body: '' };
const paths = () => server.arrivals.map(({ method, path }) => `${method} ${path}`);

const requirement = { ...requirementOf(5), extra: { feePayer: addressOf(keypair) } } as Payment['requirement'];
const payment: Payment = { key: 'a key', network, transaction: 'AAAA', message, requirement };

/** How a facilitator says which fee payer it has. */
const kind = (change: object = {}) => ({
  x402Version: 2,
  scheme: 'exact',
  network,
  extra: { feePayer: 'first' },
  ...change,
});

describe('the fee payer of a remote facilitator', () => {
  it('is learned from the kinds that the gateway can use', async () => {
    const { facilitator } = open();
    const others = [
      kind({ x402Version: 1, extra: { feePayer: 'version 1' } }),
      kind({ scheme: 'upto', extra: { feePayer: 'another scheme' } }),
      kind({ network: 7 }),
      kind({ network: NETWORKS.devnet, extra: { feePayer: 7 } }),
    ];
    reply({ kinds: [kind(), ...others] });
    expect(facilitator.feePayer(network)).toBeUndefined();
    await facilitator.refresh();
    expect([network, NETWORKS.devnet, 7 as unknown as string].map((each) => facilitator.feePayer(each))).toEqual([
      ...['first', undefined, undefined],
    ]);
    expect(paths()).toEqual(['GET /base/x402/supported']);
    const { headers, body } = arrival();
    expect([headers.accept, headers['content-type'], headers['idempotency-key'], headers.authorization, body]).toEqual([
      ...['application/json', undefined, undefined, undefined, ''],
    ]);
  });

  it('is asked for until it is known, and once a minute then', async () => {
    let nowMs = 70_000;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { facilitator, failures } = open();
    reply({}, 500);
    await facilitator.refresh();
    reply({ kinds: [kind()] });
    await facilitator.refresh();
    expect([server.arrivals.length, facilitator.feePayer(network)]).toEqual([1, 'first']);
    reply({ kinds: [kind({ extra: { feePayer: 'second' } })] });
    nowMs += 59_999;
    await facilitator.refresh();
    expect([server.arrivals.length, facilitator.feePayer(network)]).toEqual([0, 'first']);
    nowMs += 1;
    await facilitator.refresh();
    expect([server.arrivals.length, facilitator.feePayer(network), failures()]).toEqual([1, 'second', 0]);
  });

  it('is asked for every two seconds, without a sale, until the facilitator is closed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { facilitator } = open();
    reply({ kinds: [] });
    vi.advanceTimersByTime(1_999);
    expect(server.arrivals).toEqual([]);
    vi.advanceTimersByTime(1);
    await expect.poll(() => server.arrivals).toHaveLength(1);
    // Its answer is read before the next one is asked for.
    await expect
      .poll(() => {
        vi.advanceTimersByTime(2_000);
        return server.arrivals.length;
      })
      .toBe(2);
    await facilitator.close();
    expect(vi.getTimerCount()).toBe(0);
    await expect(facilitator.verify(payment)).rejects.toMatchObject({ code: 'facilitator_unavailable' });
    expect(server.arrivals).toHaveLength(2);
  });
});

it('a remote facilitator gets the payment, a key that names it, and the authorization', async () => {
  reply({ isValid: true });
  await open('Bearer token').facilitator.verify(payment);
  const { headers, body } = arrival();
  expect(paths()).toEqual(['POST /base/x402/verify']);
  expect([headers['content-type'], headers['idempotency-key'], headers.authorization]).toEqual([
    ...['application/json', payment.key, 'Bearer token'],
  ]);
  expect(JSON.parse(body)).toMatchObject({ x402Version: 2, paymentPayload: { payload: { transaction: 'AAAA' } } });
});

describe('the verification by a remote facilitator', () => {
  const verify = (body: unknown, status?: number) => {
    reply(body, status);
    return open().facilitator.verify(payment);
  };

  it.each<[unknown, number, object]>([
    [{ isValid: true }, 200, { valid: true }],
    [{ isValid: false, invalidReason: MISMATCH }, 400, { valid: false, reason: MISMATCH, processed: 'no' }],
    [{ isValid: false, invalidReason: INVALID }, 200, { valid: false, reason: INVALID, processed: 'maybe' }],
    [{ isValid: false, invalidReason: 'unheard of' }, 200, { valid: false, reason: 'unheard of', processed: 'maybe' }],
    [{ isValid: false, invalidReason: 7 }, 500, { valid: false, reason: '', processed: 'maybe' }],
  ])('of %j with status %d is %j', async (body, status, verification) => {
    expect(await verify(body, status)).toEqual(verification);
  });

  it.each([
    ['facilitator_unavailable', { isValid: true }, 500],
    ['facilitator_unavailable', {}, 429],
    ['facilitator_unavailable', {}, 503],
    ['facilitator_invalid_response', {}, 200],
    ['facilitator_invalid_response', { isValid: true }, 201],
    ['facilitator_invalid_response', { isValid: 'false' }, 499],
    ['facilitator_invalid_response', '{', 404],
  ])('is refused as %s after %j with status %d: the payment stays unused', async (code, body, status) => {
    const details = { reason: `verify: status ${status}`, payment: { state: 'unused' } };
    await expect(verify(body, status)).rejects.toMatchObject({ code, details });
  });

  it('is refused for now after an answer that is too large', async () => {
    const large = { isValid: true, more: 'a'.repeat(64 * 1024) };
    await expect(verify(large)).rejects.toMatchObject({ code: 'facilitator_unavailable' });
    expect(await verify({ isValid: true, more: 'a'.repeat(60 * 1024) })).toEqual({ valid: true });
  });

  it('is refused after an answer that is not JSON', async () => {
    server.answer((_, response) => void response.end('<html>'));
    await expect(open().facilitator.verify(payment)).rejects.toMatchObject({ code: 'facilitator_invalid_response' });
  });
});

describe('the settlement by a remote facilitator', () => {
  const succeeds = { success: true, transaction: signature };
  const fails = { success: false, errorReason: MISMATCH, transaction: '' };
  const unknown = { outcome: 'unknown', signature: undefined };
  const refused = { outcome: 'refused', reason: MISMATCH };

  it.each<[unknown, number, object]>([
    [succeeds, 200, { outcome: 'settled', signature }],
    [succeeds, 201, { outcome: 'unknown', signature }],
    [{ ...succeeds, transaction: foreign }, 200, unknown],
    [{ ...succeeds, transaction: undefined }, 200, unknown],
    [{ transaction: signature }, 200, { outcome: 'unknown', signature }],
    [fails, 200, refused],
    [fails, 499, refused],
    [fails, 500, unknown],
    [{ ...fails, success: undefined }, 200, unknown],
    [{ ...fails, transaction: undefined }, 200, unknown],
    [{ ...fails, transaction: signature }, 200, { outcome: 'unknown', signature }],
    [{ ...fails, errorReason: 'unheard of' }, 200, unknown],
    [{ ...fails, errorReason: undefined }, 200, unknown],
    [null, 200, unknown],
  ])('of %j with status %d is %j', async (body, status, settlement) => {
    const { facilitator, failures } = open();
    reply(body, status);
    expect(await facilitator.settle(payment)).toEqual(settlement);
    expect([paths(), failures()]).toEqual([['POST /base/x402/settle'], 0]);
  });

  it('P6 is unknown when the connection breaks, which is a failure of the facilitator', async () => {
    const { facilitator, failures } = open();
    server.answer((_, response) => response.destroy());
    expect(await facilitator.settle(payment)).toEqual(unknown);
    expect(failures()).toBe(1);
  });

  it('P6 is refused by its first answer only: a second proves nothing for an hour', async () => {
    let nowMs = 5_000;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { facilitator } = open();
    reply(fails);
    expect(await facilitator.settle(payment)).toEqual(refused);
    expect(await facilitator.settle(payment)).toEqual(unknown);
    expect(await facilitator.settle({ ...payment, key: 'another' })).toEqual(refused);
    reply(succeeds);
    expect(await facilitator.settle(payment)).toMatchObject({ outcome: 'settled' });
    reply(fails);
    nowMs += 3_600_000;
    expect(await facilitator.settle(payment)).toEqual(refused);
  });
});
