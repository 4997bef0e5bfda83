import { createClient } from '@asset-gateway/client';
import { newSigner } from '@asset-gateway/client/node';
import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askWith, HEALTH, overHttp, SEARCH, signInFor, statusOf } from './craft.ts';

const gateway = await stopAfterTests(startTestGateway());

/** A client, and how often it has sent something. */
function counting({ url }: TestGateway) {
  const count = { sent: 0 };
  const counted: typeof fetch = (...parts) => {
    count.sent++;
    return fetch(...parts);
  };
  return { count, client: createClient({ baseUrl: url, signer: newSigner(), fetch: counted }) };
}

describe('Replay-Nonce', () => {
  it('is on each answer to a good sign-in, is new each time, and opens the next request', async () => {
    const asker = overHttp(gateway);
    const seen = new Set<string>();
    let header = await signInFor(asker);
    for (let round = 0; round < 20; round++) {
      const answer = await askWith(asker, header);
      const nonce = answer.headers.get('replay-nonce') ?? '';
      expect(await statusOf(answer)).toBe(200);
      seen.add(nonce);
      header = await signInFor(asker, SEARCH, { nonce });
    }
    expect(seen.size).toBe(20);
  });

  it('is given to nobody who has not signed in', async () => {
    const asker = overHttp(gateway);
    const header = await signInFor(asker);
    expect(await statusOf(askWith(asker, header))).toBe(200);
    for (const answer of [
      asker.ask(SEARCH),
      askWith(asker, header),
      askWith(asker, 'e30='),
      asker.ask('/healthz'),
      asker.ask('/nowhere'),
    ]) {
      expect((await answer).headers.get('replay-nonce')).toBeNull();
      await statusOf(answer);
    }
  });
});

describe('the client', () => {
  it('needs one round trip a request, and two for the first', async () => {
    const { client, count } = counting(gateway);
    expect(await statusOf(client.ask(HEALTH))).toBe(200);
    expect(count.sent).toBe(2);
    const paths = [
      SEARCH,
      HEALTH,
      '/v1/x402/tokens/assets/solana?include=profile,risk',
      '/v1/x402/tokens/assets/curated?list=majors',
    ];
    for (const path of paths) expect(await statusOf(client.ask(path))).toBe(200);
    const body = { mints: ['So11111111111111111111111111111111111111112'] };
    expect(await statusOf(client.ask('/v1/x402/tokens/assets/market-snapshots', { body }))).toBe(200);
    expect(count.sent).toBe(7);
  });

  it('needs one round trip after a 400, a 429 and a 502 as well', async () => {
    const narrow = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '2' }, { windowMs: 3_600_000 });
    const { client, count } = counting(narrow);
    expect(await statusOf(client.ask(HEALTH))).toBe(200);
    expect(await statusOf(client.ask(`${SEARCH}&unknown=1`))).toBe(400);
    Object.assign(narrow.upstream.faults, { status: 500, times: 1 });
    expect(await statusOf(client.ask(SEARCH))).toBe(502);
    expect(await statusOf(client.ask(SEARCH))).toBe(429);
    expect(await statusOf(client.ask(SEARCH))).toBe(429);
    expect(count.sent).toBe(6);
    await narrow.stop();
  });

  it('goes on with a gateway that was restarted', async () => {
    const first = await startTestGateway();
    const { client, count } = counting(first);
    expect(await statusOf(client.ask(HEALTH))).toBe(200);
    await first.stop();
    const second = await startTestGateway({ PORT: String(first.port) });
    expect(await statusOf(client.ask(HEALTH))).toBe(200);
    expect(count.sent).toBe(4);
    await second.stop();
  });

  it('loses none of the requests that it sends at once', async () => {
    const { client } = counting(gateway);
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.ask(SEARCH)));
    expect(await Promise.all(answers.map(statusOf))).toEqual(answers.map(() => 200));
  });

  it('does not sign for another origin than the one it asked', async () => {
    const arrivals = gateway.upstream.arrivals.length;
    const foreign: typeof fetch = async (...parts) => {
      const response = await fetch(...parts);
      const body = (await response.text()).replaceAll(`127.0.0.1:${gateway.port}`, 'evil.test');
      return new Response(body, { status: response.status });
    };
    const client = createClient({ baseUrl: gateway.url, signer: newSigner(), fetch: foreign });
    await expect(client.ask(HEALTH)).rejects.toThrow('evil.test');
    expect(gateway.upstream.arrivals.length).toBe(arrivals);
  });
});
