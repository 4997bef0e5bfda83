import { memberText } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProviderFaultKnobs } from '../../packages/sandbox/src/solana/answers.ts';
import { samples } from '../kit/rounds.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/test-gateway.ts';
import { answersWith, bodyOf, buys, callOf, leaves, paymentFor, ROOMY, sendPaid } from './calls.ts';
import { openWallet } from './wallets.ts';

const gateway = await startSellingGateway(ROOMY);
const { solana } = gateway;
beforeEach(() => solana.provider.faults.reset());

const wallet = await openWallet(solana);
const BALANCE = callOf('rpc.mainnet.helius.getBalance');
const SECRET_WORDS = 'the node at 10.0.0.7 says no';
const error = (code: number): ProviderFaultKnobs => ({ jsonRpcError: { code, message: SECRET_WORDS } });
const body = (value: unknown): ProviderFaultKnobs => ({
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

type Case = readonly [what: string, knobs: ProviderFaultKnobs, status: number, code: string];

const REJECTED: readonly Case[] = [
  ...[-32600, -32602, -32015, -32010, -32011, -32016].map(
    (code): Case => [`${code}`, error(code), 422, 'upstream_rejected'],
  ),
  ['-32602 with status 400', { status: 400, message: SECRET_WORDS }, 422, 'upstream_rejected'],
];
const FAILED: readonly Case[] = [
  ...[-32601, -32603, -32000, -32005, -32007, 0, -32600.5].map(
    (code): Case => [`${code}`, error(code), 502, 'upstream_error'],
  ),
  ['an error that is no object', body({ jsonrpc: '2.0', id: 1, error: 'no' }), 502, 'upstream_error'],
  ['an error beside a result', body({ jsonrpc: '2.0', id: 1, result: 1, error: { code: 1 } }), 502, 'upstream_error'],
  ['status 401', { status: 401 }, 502, 'upstream_auth_failed'],
  ['status 500', { status: 500 }, 502, 'upstream_error'],
];
const UNUSABLE: readonly Case[] = [
  ['the id of another call', { wrongId: true }],
  ['neither result nor error', { missingResult: true }],
  ['an id that is text', body({ jsonrpc: '2.0', id: '1', result: 1 })],
  ['no id', body({ jsonrpc: '2.0', result: 1 })],
  ['a batch', body([{ jsonrpc: '2.0', id: 1, result: 1 }])],
  ['null', body('null')],
  ['HTML', body('<html>')],
  ['a result only inside', body({ id: 1, params: { result: 1 } })],
].map(([what, knobs]): Case => [what as string, knobs as ProviderFaultKnobs, 502, 'upstream_invalid_response']);

/** Fails once, and shows that nothing was settled and that the same payment buys the answer afterwards. */
async function failsUnpaid([, knobs, status, code]: Case, call = BALANCE): Promise<void> {
  const payment = await paymentFor(gateway, call, wallet);
  const { faults } = solana.provider;
  Object.assign(faults, knobs);
  const refused = await leaves(gateway, { transfers: 0, arrivals: 1 }, () =>
    answersWith(status, code, 'unused', sendPaid(gateway, call, payment)),
  );
  expect(JSON.stringify(refused)).not.toMatch(/10\.0\.0\.7|CANARY/);
  expect(refused.payment).toEqual({ state: 'unused' });
  faults.reset();
  expect(await bodyOf(await buys(gateway, call, payment))).toMatchObject({ ok: true });
}

describe('a failure of the upstream is not settled', () => {
  it.each([
    ['U19 a JSON-RPC error of the codes that mean rejected', REJECTED],
    ['U19 a JSON-RPC error of the codes that mean failed', FAILED],
    ['U20 a response that does not belong to the call', UNUSABLE],
  ])('%s', async (_, cases) => {
    for (const each of cases) await failsUnpaid(each);
  });

  const messageAfter = async (knobs: ProviderFaultKnobs, call = BALANCE, codes = '422 upstream_rejected') => {
    Object.assign(solana.provider.faults, knobs);
    const [status, code = ''] = codes.split(' ');
    // Ten failed calls of one wallet would pause it.
    const answer = sendPaid(gateway, call, await paymentFor(gateway, call, await openWallet(solana)));
    return (await answersWith(Number(status), code, 'unused', answer)).message;
  };

  it('U19 of a rejected call, the node says why, if its words hold no address', async () => {
    const says = (message: string) => messageAfter({ jsonRpcError: { code: -32602, message } });
    expect(await says('Invalid param: WrongSize')).toBe('The upstream says: Invalid param: WrongSize');
    for (const words of [SECRET_WORDS, 'see http://node/', 'a\nb', '', 'a'.repeat(201)])
      expect(await says(words)).toBe('The upstream rejected the request.');
    expect(
      await messageAfter({ jsonRpcError: { code: -32603, message: 'words' } }, BALANCE, '502 upstream_error'),
    ).toBe('The upstream failed; try again later.');
  });

  it.each([
    [-32010, /no index of this key.*ask for another key/],
    [-32011, /no transaction history.*ask another provider/],
    [-32016, /not reached minContextSlot.*send the request again/],
  ])('U19 %i, which is about the request, says what to do', async (code, words) => {
    expect(await messageAfter(error(code))).toMatch(words);
  });

  it.each(['helius', 'alchemy'])('U8 a refused key of %s is not the fault of the request', async (provider) => {
    const call = callOf(`rpc.mainnet.${provider}.getBalance`);
    for (const status of [401, 403])
      expect(await messageAfter({ status }, call, '502 upstream_auth_failed')).not.toMatch(/says/);
  });

  it('U13 a result that holds our key is neither given to the client nor logged', async () => {
    const call = callOf('rpc.devnet.helius.getBalance');
    // The first call of its channel, so the id is ours.
    const repeated = body({ jsonrpc: '2.0', id: 1, result: `api-key=${CANARY_PROVIDER_KEY}` });
    await failsUnpaid(['our key', repeated, 502, 'upstream_invalid_response'], call);
    expect(gateway.logLines.filter((line) => line.includes(CANARY_PROVIDER_KEY))).toEqual([]);
  });

  it('404 for an unknown wallet', async () => {
    const unknown = callOf('wallet.mainnet.helius.identity', { path: { wallet: solana.payTo } });
    const payment = await paymentFor(gateway, unknown, wallet);
    await leaves(gateway, { transfers: 0, arrivals: 1 }, () =>
      answersWith(404, 'upstream_rejected', 'unused', sendPaid(gateway, unknown, payment)),
    );
  });
});

const CHANNELS = [
  ['-32429 with status 200', 'rpc.mainnet.helius.getBalance', error(-32429), 2],
  ['429 in a body that is no JSON-RPC', 'rpc.mainnet.alchemy.getBalance', body({ code: 429, message: 'slow down' }), 2],
  ['429 beside the error', 'das.mainnet.helius.getAsset', body({ error: 'Too many requests', code: 429 }), 2],
  ['-32029', 'rpc.devnet.helius.getBalance', error(-32029), 2],
  ['429 that says how long', 'rpc.devnet.alchemy.getBalance', { ...error(429), retryAfter: '9' }, 9],
  ['429 with status 429', 'das.mainnet.alchemy.getAsset', { status: 429, retryAfter: '7' }, 7],
] as const;

describe('U19 V10 an upstream that asks for a pause', () => {
  it.each(CHANNELS)('V10 gets no call for its Retry-After, or two seconds: %s', async (_, id, knobs, seconds) => {
    const call = callOf(id);
    const payment = await paymentFor(gateway, call, wallet);
    const { faults } = solana.provider;
    Object.assign(faults, knobs);
    const answer = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => sendPaid(gateway, call, payment));
    expect(answer.headers.get('retry-after')).toBe(String(seconds));
    await answersWith(503, 'upstream_rate_limited', 'unused', Promise.resolve(answer));
    faults.reset();
    const neighbour = callOf('wallet.mainnet.helius.balances');
    expect((await wallet.buy(`${gateway.url}${neighbour.target}`, neighbour.init)).status).toBe(200);
    const again = () => sendPaid(gateway, call, payment);
    // Two seconds may pass before the next request is out.
    if (seconds === 2) return vi.waitFor(async () => expect((await again()).status).toBe(200), 30_000);
    await leaves(gateway, { transfers: 0, arrivals: 0 }, () =>
      answersWith(503, 'upstream_rate_limited', 'unused', again()),
    );
  });
});

const WALLET = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';

/** The bytes of the envelope's last member. */
const resultIn = (text: string): string => text.slice(text.indexOf('"result":') + '"result":'.length, -1);

/** Buys, and gives the answer as it came over the wire. */
async function buy(id: string, params?: unknown): Promise<string> {
  const call = callOf(id, params === undefined ? {} : { body: { params } });
  const payment = await paymentFor(gateway, call, wallet);
  return (await buys(gateway, call, payment)).text();
}

const AWKWARD = [
  ...['1E400', '-0', '1.10', '"\u2028\ufeff"', '"\\\\"', '"\\\\\\""'],
  '"\\u0000\\ud800 \\"result\\":1}"',
  '{ "a" : 1 , "a" : 2 }',
  '[18446744073709551615, 9223372036854775808, 0.1000000000000000055511151231257827, -1e-400]',
  '{"result":{"error":{"code":-32602}},"id":7}',
  '["}","{","]","[","\\\\","\\\\\\""]',
  `${'['.repeat(500)}${']'.repeat(500)}`,
  `"${'é漢𝄞'.repeat(1000)}"`,
];

it('U6 awkward JSON reaches the client unchanged', async () => {
  const { faults } = gateway.solana.provider;
  const json = `[${AWKWARD.join()}]`;
  faults.body = ` { "id" : 1 , "error" : null , "\\u0072esult" :${json}\n} `;
  // The first call of its channel, so the id is ours.
  expect(resultIn(await buy('das.devnet.helius.getAsset'))).toBe(json);
});

/** Every character as an escape, which says the same. */
const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;

const names = fc.constantFrom('result', 'Result', 'id', '', '__proto__', '"', '\\', '\\"', '}', ':', '\u2028', '😀');
const values = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent));
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
/** Members of an object in any order, repeated, spaced and spelled in any way. */
const members = fc.array(
  fc.record({
    name: names,
    spell: fc.constantFrom(JSON.stringify, escaped),
    value: fc.oneof(values, fc.constantFrom(...AWKWARD)),
    gap: space,
  }),
  { maxLength: 6 },
);

it('U6 the text of a member is that of the last member of its name, without the white space around it', () => {
  const check = (all: typeof members extends fc.Arbitrary<infer All> ? All : never, wanted: string, gap: string) => {
    const rows = all.map((each) => `${gap}${each.spell(each.name)}${each.gap}:${gap}${each.value}${each.gap}`);
    const json = `${gap}{${rows.join() || gap}}${gap}`;
    expect(memberText(json, wanted)).toBe(all.findLast(({ name }) => name === wanted)?.value);
  };
  fc.assert(fc.property(members, names, space, check), { numRuns: samples(2_000) });
});

describe('the upstream receives', () => {
  const last = () => gateway.solana.provider.arrivals.at(-1);

  it('addresses, for batch-identity', async () => {
    const wallets = ['86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', 'toly.sol'];
    const call = callOf('wallet.mainnet.helius.batchIdentity', { body: { wallets } });
    const response = await wallet.buy(`${gateway.url}${call.target}`, call.init);
    expect(await response.json()).toMatchObject({ ok: true, method: 'batchIdentity' });
    const body = JSON.stringify({ addresses: wallets });
    expect(last()).toMatchObject({ method: 'POST', target: '/v1/wallet/batch-identity', body });
  });

  it('one JSON-RPC call of the method and the parameters, with an id of ours', async () => {
    const params = [WALLET, { commitment: 'confirmed' }];
    await buy('rpc.mainnet.alchemy.getBalance', params);
    const { id, ...rest } = JSON.parse(last()?.body ?? '') as Record<string, unknown>;
    expect([typeof id, rest]).toEqual(['number', { jsonrpc: '2.0', method: 'getBalance', params }]);
    const headers = Object.keys(last()?.headers ?? {});
    expect(headers.filter((name) => /payment|sign-in|cookie|authorization/i.test(name))).toEqual([]);
    await buy('das.mainnet.helius.getAsset', { id: WALLET });
    expect(JSON.parse(last()?.body ?? '')).toMatchObject({ method: 'getAsset', params: { id: WALLET } });
  });

  it('the validated query, in the wallet API', async () => {
    const address = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
    const query = { limit: 5, before: 'a b&c=d' };
    const call = callOf('wallet.mainnet.helius.history', { path: { wallet: address }, query });
    expect((await wallet.buy(`${gateway.url}${call.target}`, call.init)).status).toBe(200);
    expect(last()?.target).toBe(`/v1/wallet/${address}/history?limit=5&before=a%20b%26c%3Dd`);
  });
});

it('a page of a thousand full transactions may be bought, as the provider sells it', async () => {
  const address = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
  const params = [address, { transactionDetails: 'full', limit: 1000 }];
  await buy('rpc.mainnet.helius.getTransactionsForAddress', params);
  expect(JSON.parse(gateway.solana.provider.arrivals.at(-1)?.body ?? '')).toMatchObject({ params });
});
