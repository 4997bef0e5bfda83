import { createClient, type GatewayClient, type GatewayError } from '@asset-gateway/client';
import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../kit/test-gateway.ts';
import { catalogWith, refusal, requirement } from './offers.ts';
import { asks, fails, openSeller, type Reply, reply } from './seller.ts';

const { gateway, wallet, getBalance, payments } = await openSeller();

const AT_ONCE = { 'Retry-After': '0' };
const CATALOG = '/v1/catalog';
const busy = (status: number, code: string, headers = {}): Reply => reply(status, refusal(code), headers);
const lost: Reply = (response) => void response.destroy();
const cut: Reply = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
  response.write('{"ok":', () => response.destroy());
};

/** Sets the next replies, after which every answer is an empty result. The catalog lists RPC methods at $1 a call. */
function play(...replies: Reply[]): void {
  gateway.answer(({ path }, response) => {
    const next = path.startsWith(CATALOG) ? reply(200, catalogWith('1')) : replies.shift();
    (next ?? reply(200, { ok: true, result: {} }))(response);
  });
}

/** How many requests were received besides those for the catalog. */
const requests = () => gateway.arrivals.filter(({ path }) => !path.startsWith(CATALOG)).length;
const open = (baseUrl = gateway.url) => createClient({ baseUrl, signer: wallet });
const free = () => open().system.openapi();

describe('a request is sent again only if the gateway asks for it', () => {
  it.each<[string, Reply, string?]>([
    ['408', busy(408, 'request_timeout')],
    ['429 with Retry-After', busy(429, 'rate_limited', AT_ONCE)],
    ['503 with Retry-After', busy(503, 'overloaded', AT_ONCE)],
    ['400', busy(400, 'invalid_request', AT_ONCE), 'invalid_request'],
    ['429 without Retry-After', busy(429, 'rate_limited'), 'rate_limited'],
    ['502', busy(502, 'upstream_error', AT_ONCE), 'upstream_error'],
    ['503 whose Retry-After exceeds the timeout', busy(503, 'overloaded', { 'Retry-After': '31' }), 'overloaded'],
    ['no answer', lost, 'unreachable'],
    ['an answer that breaks off', cut, 'unreachable'],
  ])('after %s', async (_, reply, refused) => {
    play(reply, reply);
    const failure: unknown = await free().then(
      () => undefined,
      (error: GatewayError) => error.code,
    );
    expect([failure, requests()]).toEqual([refused, refused ? 1 : 3]);
  });

  it('three times; the fourth refusal is the answer', async () => {
    play(...Array<Reply>(5).fill(busy(503, 'overloaded', AT_ONCE)));
    await fails(free(), 'overloaded', { status: 503, requestId: 'r-1' });
    expect(requests()).toBe(4);
  });
});

describe('a payment is resent, never signed again', () => {
  it.each<[string, Reply]>([
    ['its answer is lost', lost],
    ['its answer breaks off', cut],
    ['the gateway is settling it', busy(409, 'payment_in_progress', AT_ONCE)],
    ['its outcome is unknown', busy(503, 'settlement_pending', AT_ONCE)],
    ['its payer is busy', busy(429, 'rate_limited', AT_ONCE)],
  ])('while %s', async (_, reply) => {
    play(asks(requirement()), reply, reply);
    await getBalance();
    expect([payments().length, new Set(payments()).size]).toEqual([3, 1]);
  });

  it.each<[string, Reply, number]>([
    ['is refused', asks(requirement()), 402],
    ['is answered with a higher price', asks(requirement({ amount: '9000' })), 402],
    ['was used before', busy(409, 'payment_already_used'), 409],
    ['has bought nothing, as the upstream failed', busy(502, 'upstream_error'), 502],
  ])('but is not resent when it %s', async (_, reply, status) => {
    play(asks(requirement()), reply);
    await expect(getBalance()).rejects.toMatchObject({ name: 'GatewayError', status });
    expect([payments().length, requests()]).toEqual([1, 2]);
  });

  it.each<[string, Reply]>([
    ['every answer is lost', lost],
    ['no answer comes', () => undefined],
  ])('until the timeout; if %s, the error tells to resend it', async (_, reply) => {
    play(asks(requirement()), ...Array<Reply>(30).fill(reply));
    await expect(getBalance({ client: { timeoutMs: 1500 } })).rejects.toMatchObject({
      code: 'payment_unknown',
      payment: { state: 'in_progress' },
      cause: { code: 'timeout' },
    });
    expect(new Set(payments()).size).toBe(1);
  });
});

// 0.000249 times a million is a little less than 249.
it.each([
  [249, 1],
  [250, 0],
])('a cap of $0.000249, set in any way, allows a payment of %i millionths %i times', async (micros, times) => {
  for (const options of [
    { caps: { perCallUsd: 0.000249 } },
    { caps: { perDayUsd: 0.000249 } },
    { client: { maxUsd: 0.000249 } },
  ]) {
    play(asks(requirement({ amount: String(micros) })));
    if (times === 1) await getBalance(options);
    else await fails(getBalance(options), 'spending_limit');
    expect(payments()).toHaveLength(times);
  }
});

describe('the shared budget of free routes', () => {
  /** The statuses of calls of these clients, one after another, to a gateway with this budget. */
  async function statusesWith(limit: string, clients: (url: string) => readonly GatewayClient[]): Promise<number[]> {
    const real = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: limit }, { windowMs: 1000 });
    for (const client of clients(real.url)) await client.tokens.search({ q: 'sol' });
    await real.stop();
    return real.logLines.map((line) => (JSON.parse(line) as { status: number }).status);
  }

  it('delays a call while the last answer shows that it is used up', async () => {
    expect(await statusesWith('2', (url) => Array(4).fill(open(url)))).toEqual([402, 200, 200, 200, 200]);
  });

  it('leads to a retry after a 429, with the same signature', async () => {
    expect(await statusesWith('1', (url) => [open(url), open(url)])).toEqual([402, 200, 402, 429, 200]);
  });
});
