import { newSigner } from '@asset-gateway/client/node';
import { afterEach, describe, expect, it } from 'vitest';
import { asking, catalogWith, requirement } from '../client/offers.ts';
import { freePort } from '../http/ports.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { type Host, textOf, tokensOf, useHosts } from './host.ts';

const MOST_TOKENS = 25_000;
const BALANCE = { method: 'getBalance', arguments: { account: 'So11111111111111111111111111111111111111112' } };
const TRANSACTION = '4'.repeat(88);
const HIDDEN = ['\u001b', '\u009b', '\u202e', '\u200b', '\u{e0041}'];
const LONG = 'x'.repeat(900_000);
const BUDGET = ['--budget-usd', '1'];

/** The gateway's answer to a payment. */
type Reply = { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown };

let reply: Reply = { body: '' };
/** The received payments, with repetitions. */
let payments: string[] = [];
/** The price in its catalog. */
let listedUsd = '0.00001';
/** The changes of its requirement in sequence; the last one repeats. */
let asks: object[] = [{}];
afterEach(() => {
  payments = [];
  [listedUsd, asks] = ['0.00001', [{}]];
});

const gateway = await startTestGateway({}, { paid: true });
const hostile = await startStrangeGateway();
hostile.answer(({ path, headers }, response) => {
  const payment = headers['payment-signature'];
  if (path.startsWith('/v1/catalog')) return json(response, 200, catalogWith(listedUsd));
  if (payment === undefined)
    return json(response, 402, asking([requirement(asks.length > 1 ? asks.shift() : asks[0])]));
  payments.push(String(payment));
  const { status = 200, headers: more, body } = reply;
  if (typeof body !== 'string') return json(response, status, body, more);
  return void response.writeHead(status, { 'Content-Type': 'application/json', ...more }).end(body);
});
const openHost = useHosts(gateway, { url: hostile.url, words: BUDGET });

const settled = (transaction: unknown = TRANSACTION): Readonly<Record<string, string>> => ({
  'payment-response': Buffer.from(JSON.stringify({ success: true, transaction })).toString('base64'),
});

const ABOVE = /^spending_limit: .* above the cap of \$0\.00 a call .*nothing was signed/;
const DEARER = /^spending_limit: the gateway asks for \$0\.001001, but the catalog says \$0\.001/;

it.each([
  ['asks for more than its catalog lists', [], '0.001', [{ amount: '1001' }], DEARER, 0],
  ['asks for more, which the budget covers', BUDGET, '0.001', [{ amount: '1001' }], DEARER, 0],
  ['lists more than a dollar', [], '5', [{ amount: '1000001' }], ABOVE, 0],
  ['changes its price after the yes', [], '0.00001', [{}, { amount: '6' }], /^The user declined/, 2],
  ['changes its payee after the yes', [], '0.00001', [{}, { payTo: newSigner().address }], /^The user declined/, 2],
])('a hostile gateway that %s gets no payment', async (_, words, listed, offers, sentence, asked) => {
  [listedUsd, asks] = [listed, offers];
  const user = () => (questions.length === 1 ? 'accept' : 'decline');
  const { call, questions, spentUsd } = await openHost({ words, user });
  const answer = await call('rpc', BALANCE);
  expect(textOf(answer)).toMatch(sentence);
  expect([answer.isError, questions.length, payments, await spentUsd()]).toEqual([true, asked, [], '0.00']);
});

it('an unreachable gateway is named in an error that says what to set', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { call } = await openHost({ url });
  const answer = await call('tokens_search', { q: 'gold' });
  const sentence = `unreachable: nothing listens on ${url}; run npm start first, or set ASSET_GATEWAY_URL`;
  expect([answer.isError, textOf(answer)]).toEqual([true, sentence]);
});

it('W11 a payment with an unknown outcome is resent by every later call with the same input, never signed again, and the error says so', async () => {
  const { call, spentUsd } = await openHost();
  const body = { ok: false, error: 'settlement_pending', message: 'Later.' };
  reply = { status: 503, headers: { 'retry-after': '600' }, body };
  for (const _ of [1, 2, 3]) {
    const answered = await call('rpc', BALANCE);
    expect(answered.isError).toBe(true);
    expect(textOf(answered)).toMatch(/^payment_unknown: .*\nThe payment was sent and its outcome is not known\./);
    expect(textOf(answered)).toContain('a call with the same input sends the same payment again');
  }
  expect([payments.length, new Set(payments).size, await spentUsd()]).toEqual([3, 1, '0.000005']);
  reply = { headers: settled(), body: { ok: true, result: 7, priceUsd: '0.000005' } };
  expect((await call('rpc', BALANCE)).structuredContent).toMatchObject({ result: 7, paid: { usd: '0.000005' } });
  expect([payments.length, new Set(payments).size, await spentUsd()]).toEqual([4, 1, '0.000005']);
  await call('rpc', BALANCE);
  expect(new Set(payments).size).toBe(2);
});

it('W11 a payment with an unknown outcome is resent after a yes of the user, who is not asked again', async () => {
  const { call, questions } = await openHost({ words: [], user: () => 'accept' });
  reply = { status: 500, body: { ok: false, error: 'internal', message: 'Failed.' } };
  for (const _ of [1, 2]) expect(textOf(await call('rpc', BALANCE))).toContain('its outcome is not known');
  expect([payments.length, new Set(payments).size, questions.length]).toEqual([2, 1, 1]);
});

it.each<[string, Reply]>([
  ['402 again', { status: 402, body: asking([requirement()], { message: 'Refused.' }) }],
  ['404', { status: 404, body: { ok: false, error: 'not_found', message: 'There is no such account.' } }],
])('W16 a payment answered with %s counts as spent; the model is not told to pay, none follows', async (_, given) => {
  const { call, spentUsd } = await openHost();
  reply = given;
  for (const _ of [1, 2, 3]) {
    const text = textOf(await call('rpc', BALANCE));
    expect(text).toMatch(/a payment (?:of \$0\.000005 )?(?:for this \w+ )?was sent and refused.* counts as spent/i);
    expect(text).not.toMatch(/\bpay\b|Nothing was paid/i);
  }
  expect([payments.length, await spentUsd()]).toEqual([1, '0.000005']);
});

describe('a client that pays', () => {
  const paying = { isWalletless: true, words: [] };
  const payment = { x402Version: 2, payload: {} };
  const pay = ({ client }: Host) =>
    client.callTool({ name: 'rpc', arguments: { ...BALANCE }, _meta: { 'x402/payment': payment } });

  it('W11 an unknown outcome asks the client to send the same payment again, and not to make another one', async () => {
    const host = await openHost(paying);
    const body = { ok: false, error: 'settlement_pending', message: 'Later.' };
    reply = { status: 503, headers: { 'retry-after': '600' }, body };
    const answer = await pay(host);
    expect([answer.isError, answer.structuredContent, payments.length]).toEqual([true, undefined, 1]);
    expect(textOf(answer)).toMatch(/Do not make another one: send the same call with the same payment again\./);
  });

  it.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['requirements that no client can pay', asking([requirement({ scheme: 'other' })])],
  ])('W16 learns that its payment was refused from a 402 with %s', async (_, body) => {
    const host = await openHost(paying);
    reply = { status: 402, body };
    const answer = await pay(host);
    expect([answer.isError, answer.structuredContent, payments.length]).toEqual([true, undefined, 1]);
    expect(textOf(answer)).toMatch(/^payment_refused: a payment of \$0\.000005 was sent and refused/);
  });

  it('is asked for another one if the gateway says that the payment was used, with the reason', async () => {
    const host = await openHost(paying);
    reply = { status: 409, body: { ok: false, error: 'payment_already_used', message: 'It was used.' } };
    const answer = await pay(host);
    expect(answer.structuredContent).toMatchObject({ x402Version: 2, error: 'payment_already_used' });
    const told = textOf({ content: answer.content.slice(1) });
    expect(told).toMatch(/^The payment was refused \(payment_already_used: It was used\.\)/);
  });

  it('W25 gets requirements without hidden characters, and none that are too long', async () => {
    const { call } = await openHost(paying);
    asks = [HIDDEN.join(''), LONG].map((note) => ({ extra: { ...requirement().extra, note } }));
    expect(textOf(await call('rpc', BALANCE))).toContain('\ufffd'.repeat(HIDDEN.length));
    expect(textOf(await call('rpc', BALANCE))).toBe("The gateway's requirements for rpc_getBalance are too long.");
  });
});

it('X23 the same call resends a payment that the gateway reports as unused, and the model learns that it costs nothing', async () => {
  const { call } = await openHost();
  const payment = { state: 'unused' };
  reply = { status: 404, body: { ok: false, error: 'not_found', message: 'There is no such account.', payment } };
  for (const _ of [1, 2]) {
    const unused = 'not_found: There is no such account.\nThe payment for this call was not used and costs nothing.';
    expect(textOf(await call('rpc', BALANCE)).startsWith(unused)).toBe(true);
  }
  expect([payments.length, new Set(payments).size]).toEqual([2, 1]);
});

describe('W25 an answer of a hostile gateway', () => {
  const refusal = { ok: false, error: 'invalid_request', message: 'No.' };
  const RESULTS: readonly (readonly [string, Reply])[] = [
    ['a code', { status: 400, body: { ...refusal, error: LONG } }],
    ['a message', { status: 400, body: { ...refusal, message: LONG } }],
    ['a malformed message', { status: 400, body: { ...refusal, message: { toString: 'no' } } }],
    ['issues', { status: 400, body: { ...refusal, issues: Array(5_000).fill({ name: LONG.slice(0, 150) }) } }],
    ['malformed issues', { status: 400, body: { ...refusal, issues: { length: 5, map: 'no' } } }],
    ['a state of the payment', { status: 400, body: { ...refusal, payment: { state: LONG, transaction: LONG } } }],
    ['a long result', { headers: settled(), body: { ok: true, result: Array(40_000).fill(HIDDEN.join('a')) } }],
    ['hidden characters in a refusal', { status: 400, body: { ...refusal, message: HIDDEN.join('a') } }],
  ];

  it.each(RESULTS)('with %s is bounded, and shows no internal error and no hidden character', async (_, given) => {
    const { call, spentUsd } = await openHost();
    reply = given;
    const answered = await call('rpc', BALANCE);
    const shown = JSON.stringify(answered);
    expect(tokensOf(answered)).toBeLessThan(MOST_TOKENS);
    expect(shown).not.toMatch(/is not a function|Cannot read|undefined|\[object|Maximum call stack|not iterable/);
    for (const each of HIDDEN) expect(shown).not.toContain(each);
    expect([payments.length, await spentUsd()]).toEqual([1, '0.000005']);
    if ((given.status ?? 200) === 200) expect(shown).toMatch(/"paid":|The call was paid for/);
  });

  it.each([
    ['not JSON', { headers: settled(), body: '{"ok":true,"result":{"lamports":"the answer"' }],
    ['of another shape', { headers: settled(), body: 'null' }],
    ['empty', { headers: { ...settled(), 'Content-Type': 'application/json' }, body: '' }],
    ['without a transaction', { body: 'the answer' }],
  ])('that was paid for and is %s: the error reports the payment, and read_on shows the text', async (_, given) => {
    const { call, spentUsd } = await openHost();
    reply = given;
    const answered = await call('rpc', BALANCE);
    const text = textOf(answered);
    expect([answered.isError, payments.length, await spentUsd()]).toEqual([true, 1, '0.000005']);
    expect(text).toContain('The call was paid for');
    if ('headers' in given) expect(text).toContain(`by transaction ${TRANSACTION}`);
    const [name = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text) ?? [];
    const read = await call('read_on', { answer: name });
    expect(read.structuredContent).toEqual({ result: given.body });
  });
});

it('W35 the URL of the RPC is not shown to the model after its host', async () => {
  const rpc = await startStrangeGateway();
  rpc.answer(({ path }, response) => {
    const error = { code: -1, message: `no ${path} here${HIDDEN.join('')}` };
    json(response, 200, { jsonrpc: '2.0', id: 1, error });
  });
  const url = `${rpc.url}/key-in-path?api-key=key-in-query`;
  const { call, spentUsd } = await openHost({ words: [...BUDGET, '--rpc', url] });
  const shown = JSON.stringify(await call('rpc', BALANCE));
  expect(shown).toContain('payment_not_made');
  for (const each of ['key-in-path', 'key-in-query', ...HIDDEN]) expect(shown).not.toContain(each);
  expect([payments.length, await spentUsd()]).toEqual([0, '0.00']);
});
