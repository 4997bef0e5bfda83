import type { Environment } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner, signedHeader } from '../kit/wallet.ts';

const SHARED = { RESPONSE_CACHE: 'on', FAIR_SHARES: 'on', TRUST_PROXY: '127.0.0.0/8' };
/** A quarter of the 256 requests that may wait. */
const QUARTER = 64;
const HEALTH = '/v1/x402/tokens/health';

let gateway: TestGateway;

async function start(variables: Environment = {}): Promise<void> {
  gateway = await startTestGateway({ ...SHARED, TOKENS_RATE_LIMIT_PER_MINUTE: '30', ...variables });
}

let serial = 0;
const newSearch = () => `/v1/x402/tokens/assets/search?q=waits-${serial++}`;
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const ask = (address: string, path = newSearch(), signer = newSigner()) =>
  askSigned(gateway.url + path, from(address), signer);
const calls = () => gateway.upstream.arrivals.length;
const statusesOf = (answers: readonly Response[]) => answers.map(({ status }) => status);
const countOf = (answers: readonly Response[], status: number) =>
  statusesOf(answers).filter((each) => each === status).length;
const bodyOf = async (answer: Response) => (await answer.json()) as Record<string, unknown>;
const use = (path: string, address: string, header: string) =>
  fetch(gateway.url + path, { headers: { 'X-Forwarded-For': address, 'SIGN-IN-WITH-X': header } });

/** Uses up the share of this address. */
async function takeShare(address: string): Promise<number> {
  for (let taken = 0; ; taken++) if ((await ask(address, HEALTH)).status !== 200) return taken;
}

/** Sends these at once with a sign-in each, which are made before. */
async function ready(path: string, addresses: readonly string[], signerOf = newSigner) {
  const headers = await Promise.all(addresses.map(() => signedHeader(gateway.url + path, {}, signerOf())));
  return () => Promise.all(headers.map((header, index) => use(path, addresses[index] ?? '', header)));
}

/** Starts a slow upstream call for this path. */
async function beginCall(path: string): Promise<{ readonly answer: Promise<Response> }> {
  gateway.upstream.faults.delayMs = 2_000;
  const [ask, before] = [await ready(path, ['198.51.100.1']), calls()];
  const answer = ask().then(([first]) => first as Response);
  await expect.poll(calls).toBe(before + 1);
  return { answer };
}

describe('the waiting room', () => {
  it('W3 is not filled by one sign-in of an address without a share: new clients get the reserved slots', async () => {
    await start();
    expect(await takeShare('203.0.113.1')).toBe(24);
    const path = newSearch();
    const header = await signedHeader(gateway.url + path);
    const seen: Response[] = [];
    let isOver = false;
    const attack = async (connection: number) => {
      while (!isOver) seen.push(await use(path, `203.0.113.${connection}`, header));
    };
    const connections = Array.from({ length: 10 }, (_, connection) => attack(connection));
    const before = calls();
    const newcomers: Response[] = [];
    for (let network = 1; network <= 8; network++) newcomers.push(await ask(`198.51.${network}.1`));
    isOver = true;
    await Promise.all(connections);
    // Two of the six slots are left to wallets that have paid.
    expect(statusesOf(newcomers)).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
    expect(calls() - before).toBe(4);
    expect(seen.length).toBeGreaterThan(10);
    expect(new Set(statusesOf(seen))).toEqual(new Set([429]));
    expect(await bodyOf(seen[0] as Response)).toMatchObject({ error: 'rate_limited', scope: 'group' });
    // No call was made for refused requests.
    expect(gateway.upstream.arrivals.some(({ target }) => target.includes(path.split('?')[1] ?? ''))).toBe(false);
  }, 60_000);

  const wallet = newSigner();
  it.each<[string, (index: number) => string, typeof newSigner]>([
    ['a group', (index) => `203.0.113.${index}`, newSigner],
    ['a wallet of any addresses', (index) => `203.0.${index}.1`, () => wallet],
  ])('W3 admits at most a quarter for %s', { timeout: 30_000 }, async (_, addressOf, signerOf) => {
    await start({ TOKENS_RATE_LIMIT_PER_MINUTE: '1000' });
    const path = newSearch();
    const askAll = await ready(
      path,
      Array.from({ length: QUARTER + 20 }, (_, index) => addressOf(index)),
      signerOf,
    );
    const askOthers = await ready(
      path,
      Array.from({ length: 20 }, (_, index) => `192.0.${index}.1`),
    );
    const first = await beginCall(path);
    const [answers, others] = await Promise.all([askAll(), askOthers()]);
    expect((await first.answer).status).toBe(200);
    expect([countOf(answers, 200), countOf(answers, 429), countOf(others, 200)]).toEqual([QUARTER, 20, 20]);
    expect(calls()).toBe(1);
  });

  it('W3 has room again when waiters are answered', async () => {
    await start({ TOKENS_RATE_LIMIT_PER_MINUTE: '1000' });
    const address = Array<string>(QUARTER).fill('203.0.113.1');
    for (let turn = 0; turn < 2; turn++) {
      const path = newSearch();
      const askAll = await ready(path, address);
      const first = await beginCall(path);
      expect(countOf(await askAll(), 200)).toBe(QUARTER);
      await first.answer;
    }
  }, 30_000);
});
