import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { variantMarkets } from '../../packages/sandbox/src/tokens/answers/batch.ts';
import type { RouteRequest } from '../../packages/sandbox/src/tokens/answers/request.ts';
import { KNOWN_MINTS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { standIn } from '../kit/stand-in.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner, signedHeader } from '../kit/wallet.ts';
import { cacheFile } from './file.ts';

const NOW = 1_795_000_000_000;
const ROUTE = '/v1/x402/tokens/assets/variant-markets';
const FRESH_SECONDS = 2;
/** A mint that the upstream rejects. */
const BAD = newSigner().address;
const [FIRST = '', ...VICTIMS] = KNOWN_MINTS.filter((mint) => mint.length >= 43).slice(0, 24);

const APIS_FILE = cacheFile('variantMarkets', FRESH_SECONDS, 300);

let gateway: TestGateway;

async function start(variables: object = {}): Promise<void> {
  const cached = { RESPONSE_CACHE: 'on', APIS_FILE, TOKENS_RATE_LIMIT_PER_MINUTE: '60' };
  gateway = await startTestGateway({ ...cached, ...variables }, { marketNow: () => NOW });
}

const urlOf = (mints: string) => `${gateway.url}${ROUTE}?mints=${mints}`;
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const ask = (mints: string, init: RequestInit = {}) => askSigned(urlOf(mints), init);
const mintsSeen = () =>
  gateway.upstream.arrivals.map(({ target }) => new URL(target, 'http://upstream').searchParams.get('mints') ?? '');
const statusesOf = (answers: readonly Response[]) => answers.map(({ status }) => status);
/** The upstream's own answer for one mint. */
const itemOf = (mint: string) =>
  variantMarkets(standIn<RouteRequest>({ query: new URLSearchParams({ mints: mint }), now: NOW })).variants[0];
const itemsIn = async (answer: Response) =>
  ((await answer.json()) as { result: { variants: unknown[] } }).result.variants;

/** The upstream rejects each call that names one of these mints. */
function reject(...mints: readonly string[]): void {
  gateway.upstream.faults.status = 400;
  gateway.upstream.faults.only = ({ target }) => mints.some((mint) => target.includes(mint));
}

/** Requests these in the second after a call, so that they share the next one; returns their calls. */
async function askTogether(lists: readonly string[], inits: readonly RequestInit[] = []) {
  const headers = await Promise.all(lists.map((mints, index) => signedHeader(urlOf(mints), inits[index])));
  expect((await ask(newSigner().address)).status).toBe(200);
  const before = mintsSeen().length;
  const answers = await Promise.all(
    lists.map((mints, index) =>
      fetch(urlOf(mints), { headers: { ...inits[index]?.headers, 'SIGN-IN-WITH-X': headers[index] ?? '' } }),
    ),
  );
  return { answers, calls: mintsSeen().slice(before) };
}

// On a busy machine the requests of a test may come too late to share one call.
describe('a call that serves several requests', { retry: 2 }, () => {
  it('W1 fails only for the request with the rejected mint, with one more call for each request', async () => {
    await start();
    reject(BAD);
    const asked = [BAD, ...VICTIMS.slice(0, 10)];
    const { answers, calls } = await askTogether(asked);
    expect(calls[0]?.split(',').sort()).toEqual([...asked].sort());
    expect(statusesOf(answers)).toEqual([400, ...Array<number>(10).fill(200)]);
    expect(await answers[0]?.json()).toMatchObject({ error: 'upstream_rejected' });
    for (const [index, mint] of VICTIMS.slice(0, 10).entries())
      expect(await itemsIn(answers[index + 1] as Response)).toEqual([itemOf(mint)]);
    expect(calls.length).toBeLessThanOrEqual(1 + asked.length);
    expect(calls.filter((mints) => mints.includes(BAD))).toHaveLength(2);
  });

  it('W1 is repeated once for all mints that were answered before', async () => {
    await start();
    const known = VICTIMS.slice(0, 10);
    expect((await ask(known.join(','))).status).toBe(200);
    await pause(FRESH_SECONDS * 1_000);
    reject(BAD);
    const init = { headers: { 'Cache-Control': 'no-cache' } };
    const { answers, calls } = await askTogether([BAD, ...known], [{}, ...known.map(() => init)]);
    expect(statusesOf(answers)).toEqual([400, ...Array<number>(10).fill(200)]);
    expect(calls.map((mints) => mints.split(',').length).sort((a, b) => a - b)).toEqual([1, 10, 11]);
  });

  it('W1 charges a repeated call to the share of its request', async () => {
    await start({ FAIR_SHARES: 'on', TRUST_PROXY: '127.0.0.0/8', TOKENS_RATE_LIMIT_PER_MINUTE: '30' });
    reject(BAD);
    const [attacker, victim] = [from('203.0.113.1'), from('198.51.100.1')];
    const { answers, calls } = await askTogether([BAD, VICTIMS[0] ?? ''], [attacker, victim]);
    expect([statusesOf(answers), calls.length]).toEqual([[400, 200], 3]);
    let served = 0;
    while ((await askSigned(`${gateway.url}/v1/x402/tokens/health`, attacker)).status === 200) served++;
    // With 28 slots beside the other two groups a group gets 23, of which the attack has taken its own.
    const free = 30 - 4;
    expect(gateway.upstream.arrivals).toHaveLength(4 + served);
    expect(served).toBe(free - 5);
  });

  it('W1 is repeated once: a request whose own call is rejected is refused', async () => {
    await start();
    reject(BAD);
    const both = `${VICTIMS[0]},${BAD}`;
    const { answers, calls } = await askTogether([both, VICTIMS[1] ?? '']);
    expect([statusesOf(answers), calls.length]).toEqual([[400, 200], 3]);
    // Either mint may be the bad one: the next such request goes alone, and its refusal is kept.
    const { answers: later, calls: alone } = await askTogether([both, both, VICTIMS[2] ?? '']);
    expect(statusesOf(later)).toEqual([400, 400, 200]);
    expect(alone.filter((mints) => mints.includes(BAD))).toEqual([both]);
    expect((await ask(both)).status).toBe(400);
    expect(mintsSeen().filter((mints) => mints.includes(BAD))).toHaveLength(3);
  });

  it('W2 is not shared with a mint that is no public key', async () => {
    await start();
    const [padded, ...good] = VICTIMS.slice(0, 9);
    const odd = `%20${padded}`;
    const { answers, calls } = await askTogether([odd, ...good]);
    expect(statusesOf(answers)).toEqual(Array<number>(9).fill(200));
    expect(await itemsIn(answers[0] as Response)).toEqual([itemOf(padded ?? '')]);
    expect(calls.map((mints) => mints.split(',').length).sort()).toEqual([1, 8]);
    const { answers: invalid } = await askTogether(['no-mint', 'z'.repeat(44), ...VICTIMS.slice(9, 17)]);
    expect(statusesOf(invalid)).toEqual([400, 200, ...Array<number>(8).fill(200)]);
    for (const mints of mintsSeen()) expect(mints === 'no-mint' || !mints.includes('no-mint'), mints).toBe(true);
    expect(gateway.logLines.filter((line) => line.includes('upstream_invalid_response'))).toEqual([]);
  });

  it('W2 serves the mints of an incomplete answer', async () => {
    await start();
    const lacking = newSigner().address;
    const good = VICTIMS.slice(0, 5);
    gateway.upstream.faults.body = JSON.stringify({ variants: good.map(itemOf) });
    gateway.upstream.faults.only = ({ target }) => target.includes(lacking);
    const { answers, calls } = await askTogether([...good, lacking]);
    expect(statusesOf(answers)).toEqual([...Array<number>(5).fill(200), 502]);
    for (const [index, mint] of good.entries())
      expect(await itemsIn(answers[index] as Response)).toEqual([itemOf(mint)]);
    expect(calls).toHaveLength(2);
    expect(calls[1]).toBe(lacking);
  });

  it('W1 is repeated for each request after an answer of another shape', async () => {
    await start();
    gateway.upstream.faults.body = '{"variants":"none"}';
    gateway.upstream.faults.only = ({ target }) => target.includes(BAD);
    const { answers, calls } = await askTogether([BAD, ...VICTIMS.slice(0, 4)]);
    expect(statusesOf(answers)).toEqual([502, 200, 200, 200, 200]);
    expect(calls).toHaveLength(6);
  });
});

it('W2 a rejected mint is refused in every list without a call, and called alone for no-cache', async () => {
  await start();
  reject(BAD);
  expect((await ask(BAD)).status).toBe(400);
  const before = mintsSeen().length;
  for (const mints of [BAD, `${BAD},${FIRST}`]) {
    const answer = await ask(mints);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'upstream_rejected' }),
    ]);
  }
  expect(mintsSeen()).toHaveLength(before);
  const init = { headers: { 'Cache-Control': 'no-cache' } };
  const { answers, calls } = await askTogether([BAD, ...VICTIMS.slice(0, 4)], [init]);
  expect(statusesOf(answers)).toEqual([400, 200, 200, 200, 200]);
  expect(calls.filter((mints) => mints.includes(BAD))).toEqual([BAD]);
});
