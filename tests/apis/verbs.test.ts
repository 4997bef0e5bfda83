import { createClient, createFreeClient } from '@asset-gateway/client';
import { HEADERS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { openCustomer } from '../client/kit.ts';
import { balanceOf, spendingHeader } from '../credit/gateway.ts';
import { type Example, jsonInit } from '../http/targets.ts';
import { askSigned } from '../kit/wallet.ts';
import { bodyOf, paymentFor, send, sendPaid } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { serveApis } from './apis.ts';
import { KEY } from './document-files.ts';
import { inBody, text, writeOperations } from './hostile-documents.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const withId = { parameters: [text('id', 'path')] };
const ofPair = (...names: string[]) => ({ parameters: names.map((name) => text(name, 'path')) });
const created = { responses: { 201: { description: 'x', content: { 'application/json': { schema } } } } };
const openapi = writeOperations({
  replace: ['put /notes/{id}', { ...withId, ...inBody(schema) }],
  change: ['patch /notes/{id}', { ...withId, ...inBody(schema) }],
  remove: ['delete /notes/{id}', { ...withId, responses: { 204: { description: 'x' } } }],
  read: ['get /notes/{id}', withId],
  all: ['get /lists'],
  make: ['post /lists', inBody(schema)],
  add: ['post /notes', { ...inBody(schema), ...created }],
  calm: ['post /calm', inBody(schema)],
  // Operations of one path, each with other names of its parameters.
  readPair: ['get /pairs/{a}/{b}', ofPair('a', 'b')],
  removePair: ['delete /pairs/{b}/{a}', { ...ofPair('a', 'b'), responses: { 204: { description: 'x' } } }],
  setPair: ['post /pairs/{left}/{right}', { ...ofPair('left', 'right'), ...inBody(schema) }],
});
const paid = { access: 'exact', price: '0.002' };
const key = { bearer: true, env: 'TEST_API_KEY' };
const sold = { add: paid, change: paid, remove: paid, calm: { ...paid, idempotent: true } };
const pairs = { readPair: {}, removePair: {}, setPair: {} };
const free = { replace: {}, change: {}, remove: {}, read: {}, add: {}, make: {}, ...pairs };
const { gateway, stub } = await serveApis(
  {
    free: { openapi, key, operations: free },
    fixed: { openapi, key, operations: { readPair: {}, removePair: { set: { a: 'x' } } } },
    strict: { openapi, key: { ...key, refused: [401, 403] }, operations: { read: {} } },
    sold: { openapi, key, operations: sold },
  },
  { CREDIT: 'on' },
);
const chain = gateway.solana.mainnet;
const client = createFreeClient({ baseUrl: gateway.url });
const { arrived } = stub;

/** Has the API answer with this status and text. */
async function answering<T>(status: number | 'half', answer: string | undefined, action: () => Promise<T>): Promise<T> {
  Object.assign(stub, { status, text: answer });
  try {
    return await action();
  } finally {
    Object.assign(stub, { status: 200, text: undefined });
  }
}

describe('each verb reaches the API', () => {
  it.each<[operation: string, values: Readonly<Record<string, unknown>>, arrival: string]>([
    ['replace', { id: 'a', name: 'b' }, 'PUT /notes/a {"name":"b"}'],
    ['change', { id: 'a', name: 'b' }, 'PATCH /notes/a {"name":"b"}'],
    ['remove', { id: 'a' }, 'DELETE /notes/a'],
    ['read', { id: 'a' }, 'GET /notes/a'],
    ['add', { name: 'b' }, 'POST /notes {"name":"b"}'],
    ['readPair', { a: '1', b: '2' }, 'GET /pairs/1/2'],
    ['removePair', { a: '1', b: '2' }, 'DELETE /pairs/1/2'],
    ['setPair', { a: '1', b: '2', name: 'c' }, 'POST /pairs/1/2 {"name":"c"}'],
  ])('%s', async (name, values, arrival) => {
    await client.call(`free.${name}`, values);
    expect(arrived()).toBe(arrival);
  });

  it('under the names that its document gives first to the parameters of a path', async () => {
    await client.call('fixed.removePair', { a: '1' });
    expect(arrived()).toBe('DELETE /pairs/1/x');
    const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => path.includes('/free/pairs/'))).toEqual(['/v1/x402/free/pairs/{a}/{b}']);
  });

  it('paid, by the official client and ours', async () => {
    const wallet = await openWallet(gateway.solana);
    const url = `${gateway.url}/v1/x402/solana/mainnet/sold/notes/a`;
    const patched = await wallet.buy(url, jsonInit({ name: 'c' }, 'PATCH'));
    expect([patched.status, arrived()]).toEqual([200, 'PATCH /notes/a {"name":"c"}']);
    const { client: paying, transfers } = await openCustomer(gateway);
    await paying.call('sold.remove', { id: 'z' });
    expect([arrived(), transfers().length]).toEqual(['DELETE /notes/z', 1]);
  });

  it("and no other verb does; the refusal and CORS name the path's verbs", async () => {
    const response = await fetch(`${gateway.url}/v1/x402/sold/notes/a`, { method: 'POST' });
    expect(response.status).toBe(404);
    const wrong = await fetch(`${gateway.url}/v1/x402/free/notes/a`, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'PUT, PATCH, DELETE, GET, HEAD, OPTIONS']);
    const headers = { 'access-control-request-method': 'PATCH', origin: 'https://a.example' };
    const asked = await fetch(`${gateway.url}/v1/x402/free/notes/a`, { method: 'OPTIONS', headers });
    expect(asked.headers.get('access-control-allow-methods')).toBe('PATCH, OPTIONS');
  });
});

describe('the body of a POST', () => {
  const post = (path: string, body: object) => askSigned(`${gateway.url}/v1/x402/free/${path}`, jsonInit(body));

  it.each([
    ['lists', 'GET'],
    ['lists', 'DELETE'],
    ['lists', ''],
    ['pairs/1/2', 'DELETE'],
  ])('X18 names no other verb of its path %s, such as "%s"', async (path, _method) => {
    const before = stub.arrivals.length;
    const response = await post(path, { name: 'a', _method });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { issues: [{ in: 'body', name: '_method', rule: 'sameVerb', message: 'Must not name another verb.' }] },
    ]);
    expect(stub.arrivals).toHaveLength(before);
  });

  it('X18 may have a member of that name deeper, or if its path has no other verb', async () => {
    const deeper = { name: 'a', of: { _method: 'GET' } };
    expect([(await post('lists', deeper)).status, arrived()]).toEqual([200, `POST /lists ${JSON.stringify(deeper)}`]);
    const alone = { name: 'a', _method: 'GET' };
    expect([(await post('notes', alone)).status, arrived()]).toEqual([200, `POST /notes ${JSON.stringify(alone)}`]);
  });
});

describe('a success of the API becomes a success of the gateway', () => {
  it.each([
    [200, '{"name":"a"}', { name: 'a' }, null],
    [201, '{"name":"a"}', { name: 'a' }, '201'],
    [202, '{"name":"a"}', { name: 'a' }, '202'],
    [204, '', null, '204'],
  ])('%i', async (status, answer, result, header) => {
    const response = await answering(status, answer, () => askSigned(`${gateway.url}/v1/x402/free/notes/a`));
    expect([response.status, response.headers.get('upstream-status')]).toEqual([200, header]);
    expect(await response.json()).toMatchObject({ ok: true, method: 'read', result });
  });

  it.each([203, 206])('but not %i', async (status) => {
    const response = await answering(status, '{}', () => askSigned(`${gateway.url}/v1/x402/free/notes/a`));
    expect([response.status, await response.json()]).toMatchObject([502, { error: 'upstream_invalid_response' }]);
  });
});

describe('a refusal of the API', () => {
  const ask = async (api: string, status: number, answer = '{}') => {
    const response = await answering(status, answer, () => askSigned(`${gateway.url}/v1/x402/${api}/notes/a`));
    const { error, message } = (await response.json()) as { error: string; message: string };
    return [response.status, error, message] as const;
  };

  it.each([400, 403, 404, 405, 406, 409, 410, 412, 413, 415, 418, 422, 423, 428, 451])('%i passes', async (status) => {
    expect((await ask('free', status)).slice(0, 2)).toEqual([status, 'upstream_rejected']);
  });

  it.each([
    ['free', 401, 502, 'upstream_auth_failed'],
    ['strict', 401, 502, 'upstream_auth_failed'],
    ['strict', 403, 502, 'upstream_auth_failed'],
    ['free', 402, 502, 'upstream_error'],
    ['free', 407, 502, 'upstream_error'],
    ['free', 408, 502, 'upstream_error'],
    ['free', 500, 502, 'upstream_error'],
  ])('of %s with %i is the operator’s matter', async (api, status, passed, code) => {
    expect((await ask(api, status)).slice(0, 2)).toEqual([passed, code]);
  });

  it.each([
    ['{"title":"No such note"}', 'No such note'],
    ['{"title":"Conflict","detail":"It was changed meanwhile"}', 'It was changed meanwhile'],
    ['{"detail":[{"loc":["id"]}],"title":"Wrong id"}', 'Wrong id'],
    ['{"message":"Own","detail":"Other"}', 'Own'],
  ])('says %s', async (answer, sentence) => {
    expect((await ask('free', 409, answer))[2]).toBe(`The upstream says: ${sentence}`);
  });

  it('is in OpenAPI with any client status, unlike a refusal of our upstreams', async () => {
    const { paths, components } = JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text());
    const { responses } = paths['/v1/x402/free/notes/{id}'].get;
    expect(responses['4XX']).toEqual({ $ref: '#/components/responses/siwx-4XX' });
    expect(components.responses['siwx-4XX'].description).toMatch(/^- `upstream_rejected`: [^`]+$/);
    expect(Object.keys(paths['/v1/x402/tokens/health'].get.responses)).not.toContain('4XX');
  });

  it('never with the key', async () => {
    expect((await ask('free', 409, JSON.stringify({ detail: `Bad ${KEY}` })))[2]).not.toContain(KEY);
  });
});

describe('a call that may have an effect', () => {
  const init = jsonInit({ name: 'a' });
  const post = (path: string): Example => ({ target: `/v1/x402/solana/mainnet/sold/${path}`, init });
  const twice = async (path: string) => {
    const wallet = await openWallet(gateway.solana);
    const payment = await paymentFor(gateway, post(path), wallet);
    const before = [chain.transfers.length, stub.arrivals.length] as const;
    const first = await answering(500, '{}', () => sendPaid(gateway, post(path), payment));
    const second = await sendPaid(gateway, post(path), payment);
    const { error, payment: state } = await bodyOf(second);
    const added = [chain.transfers.length - before[0], stub.arrivals.length - before[1]];
    return { statuses: [first.status, second.status], error, state: state?.state, added };
  };

  it('is made once for a payment, and never settled later', async () => {
    const once = { statuses: [502, 409], error: 'payment_already_used', state: 'refused', added: [0, 1] };
    expect(await twice('notes')).toEqual(once);
  });

  it('unless it is idempotent', async () => {
    expect(await twice('calm')).toMatchObject({ statuses: [502, 200], state: undefined, added: [1, 2] });
  });

  it('is made once for a signature that spends credit, also if it comes in another spelling', async () => {
    const { client: paying, signer } = await openCustomer(gateway);
    await paying.credit.buy();
    const call = post('notes');
    const header = await spendingHeader(gateway, call, signer);
    const spaced = btoa(JSON.stringify(JSON.parse(atob(header)), undefined, 1));
    const before = stub.arrivals.length;
    const spend = (text: string) => send(gateway, call, { [HEADERS.signIn]: text });
    expect((await answering(500, '{}', () => spend(header))).status).toBe(502);
    for (const again of [header, spaced]) {
      const response = await spend(again);
      const { error, payment } = await bodyOf(response);
      expect([response.status, error, payment]).toEqual([409, 'payment_already_used', { state: 'refused' }]);
    }
    expect(stub.arrivals.length - before).toBe(1);
    const account = await balanceOf(gateway, { signIn: signer } as Wallet);
    expect(account).toMatchObject({ spentMicros: 0, heldMicros: 0 });
  });

  it.each([
    [201, '{"name":"a"}', { name: 'a' }],
    [204, '', null],
  ])('keeps the status %i of the API when its answer is delivered again', async (status, answer, result) => {
    const call = post('notes');
    const payment = await paymentFor(gateway, call, await openWallet(gateway.solana));
    const { client: paying, signer } = await openCustomer(gateway);
    await paying.credit.buy();
    const header = await spendingHeader(gateway, call, signer);
    const before = stub.arrivals.length;
    for (const ask of [
      () => sendPaid(gateway, call, payment),
      () => send(gateway, call, { [HEADERS.signIn]: header }),
    ]) {
      const answers = [await answering(status, answer, ask), await ask()];
      const headers = (name: string) => answers.map((each) => each.headers.get(name));
      expect(answers.map((each) => each.status)).toEqual([200, 200]);
      expect(headers('upstream-status')).toEqual([String(status), String(status)]);
      expect(headers('idempotency-replayed')).toEqual([null, 'true']);
      for (const exposed of headers('access-control-expose-headers')) expect(exposed).toMatch(/, Upstream-Status$/);
      for (const each of answers) expect(await each.json()).toMatchObject({ ok: true, result });
    }
    expect(stub.arrivals.length - before).toBe(2);
  });

  it('is not made again by the client', async () => {
    const { client: paying, signer, transfers } = await openCustomer(gateway);
    const before = stub.arrivals.length;
    const call = () => paying.call('sold.add', { name: 'a' });
    await expect(answering(500, '{}', call)).rejects.toMatchObject({ code: 'upstream_error' });
    expect([stub.arrivals.length - before, transfers().length]).toEqual([1, 0]);
    await paying.credit.buy();
    const spending = createClient({ baseUrl: gateway.url, signer });
    const spend = () => spending.call('sold.add', { name: 'b' });
    await expect(answering(500, '{}', spend)).rejects.toMatchObject({ code: 'upstream_error' });
    expect(stub.arrivals.length - before).toBe(2);
  });
});
