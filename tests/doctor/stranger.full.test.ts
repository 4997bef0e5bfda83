import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { MAX_ROUTES } from '../../packages/doctor/src/explore.ts';
import { CONNECTIONS, HttpClient } from '../../packages/doctor/src/http-client.ts';
import { type Outcome, startCommand } from '../kit/command.ts';
import { isFull } from '../kit/rounds.ts';
import { ENTRY, run, startStranger } from './stranger.ts';

/** Longer than any run here, and much shorter than one without limits. */
const MOST_MS = 60_000;
const LONG = { timeout: 3 * MOST_MS };

let stranger: Awaited<ReturnType<typeof startStranger>>;

/** Runs the doctor in its own process; kills it if it does not end, so that it has no exit code. */
async function examine(...servers: Parameters<typeof startStranger>): Promise<Outcome> {
  stranger = await startStranger(...servers);
  const command = startCommand([process.execPath, 'packages/doctor/dist/main.js', stranger.url]);
  const timer = setTimeout(() => command.child.kill('SIGKILL'), MOST_MS);
  return await command.ended.finally(() => clearTimeout(timer));
}

/** The same in this process, for what takes no time. */
async function examineHere(...servers: Parameters<typeof startStranger>): Promise<Outcome> {
  return await run((await startStranger(...servers)).url);
}

/** The doctor's client of a server with these answers. */
async function clientOf(answer: Parameters<typeof startStranger>[1], signal?: AbortSignal): Promise<HttpClient> {
  stranger = await startStranger([], answer);
  return new HttpClient(stranger.url, signal);
}

const refuse = (_: unknown, response: ServerResponse): void => void response.writeHead(404).end('{}');

describe('the doctor, at a hostile server', () => {
  const text = { type: 'string', pattern: '^(a+)+$' };
  const value = { name: `${'a'.repeat(60)}!` };
  const object = { type: 'object', properties: { name: text } };
  const branches = Array.from({ length: 40 }, (_, at) => [
    `b${at}`,
    { allOf: Array(3).fill({ $ref: `#/$defs/b${at + 1}` }) },
  ]);
  const endless = { $ref: '#/$defs/b0', $defs: { ...Object.fromEntries(branches), b40: true } };
  const operation = { requestBody: { content: { json: { schema: object, example: value } } } };

  const endlessDocuments: readonly (readonly [string, object, string])[] = [
    ['a pattern of the catalog', { ...ENTRY, inputSchema: object, inputExample: value }, '{}'],
    ['references of the catalog', { ...ENTRY, inputSchema: endless }, '{}'],
    ['a pattern of OpenAPI', ENTRY, JSON.stringify({ paths: { '/a': { post: operation } } })],
  ];
  it.each(isFull ? endlessDocuments : endlessDocuments.slice(0, 1))(
    'W27 stops %s that never ends, and reports it',
    LONG,
    async (_, entry, openApi) => {
      const { code, stdout } = await examine([entry], refuse, { '/openapi.json': openApi });
      expect(code).toBe(1);
      expect(stdout).toMatch(
        /^✗ (?:GET|POST) \S+\/a: .+'s example \(\w+\) does not match its own schema: .+ not checked/m,
      );
      expect(stdout).toMatch(/ to fix \(1 routes, \d+ requests\)\.\n$/);
    },
  );

  // Examines 500 routes, which takes long.
  it.runIf(isFull)(
    'W28 ends at 2,000 routes that each ask for a minute, and reports what it skipped',
    LONG,
    async () => {
      const routes = Array.from({ length: 2_000 }, (_, at) => ({ ...ENTRY, path: `/${at}` }));
      const { code, stdout } = await examine(routes, (_, response) => {
        response.writeHead(429, { 'retry-after': '60' }).end();
      });
      expect(code).toBe(1);
      expect(stdout).toContain(`· 1500 routes of the catalog were not examined: the limit is ${MAX_ROUTES}.\n`);
      expect(stdout).toMatch(/· \d+ answers stayed 429: pauses are limited to 30 seconds in total/);
      expect(stranger.asked().filter((target) => Number(target.slice(1)) >= MAX_ROUTES)).toEqual([]);
    },
  );

  it('W28 pauses for 30 seconds in total, counts concurrent pauses once, and then reports the 429', async () => {
    const client = await clientOf(({ path }, response) => {
      response.writeHead(429, { 'retry-after': path === '/long' ? '31' : '0.5' }).end();
    });
    const from = performance.now();
    await Promise.all(Array.from({ length: CONNECTIONS }, () => client.ask('GET', '/short')));
    expect(performance.now() - from).toBeGreaterThan(900);
    expect((await client.ask('GET', '/long')).status).toBe(429);
    expect(stranger.asked().filter((target) => target === '/long')).toHaveLength(1);
    await client.close();
  });

  it('W28 cuts a price of 4 MB and accepts at most 18 decimals', async () => {
    const nines = '9'.repeat(2_000_000);
    const { stdout } = await examineHere(
      [
        { ...ENTRY, priceUsd: `${nines}.00` },
        { ...ENTRY, path: '/b', paymentAsset: { ...ENTRY.paymentAsset, decimals: 2 ** 31 } },
        { ...ENTRY, path: '/c' },
      ],
      (_, response) => {
        const amount = nines.slice(0, 200_000);
        response.writeHead(402).end(JSON.stringify({ x402Version: 2, accepts: [{ amount }] }));
      },
      { '/openapi.json': JSON.stringify({ paths: { '/c': { get: { 'x-payment-info': { price: nines } } } } }) },
    );
    expect(stdout).toMatch(/\/a: its catalog entry is incomplete: \/priceUsd must not have more than 40/);
    expect(stdout).toMatch(/\/b: its catalog entry is incomplete: \/paymentAsset\/decimals must be <= 18/);
    expect(stdout).toMatch(/\/c: the price is \$0\.0005 in the catalog, 9+…\. Use one price for/);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThan(3_000);
  });

  it.runIf(isFull)('W28 prints at most 200 lines and says how many it omits', LONG, async () => {
    const routes = Array.from({ length: 210 }, (_, at) => ({ ...ENTRY, path: `/${at}`, priceUsd: `1.${at + 100}` }));
    const { stdout } = await examine(routes, (_, response) => {
      response.writeHead(402).end('{"accepts":[{"amount":"1"}]}');
    });
    expect(stdout.split('\n').filter((line) => line.startsWith('✗')).length).toBe(201);
    expect(stdout).toMatch(/^✗ \d+ more, not printed\.$/m);
  });

  it.each([
    ['sends its body byte by byte', (response: ServerResponse) => void response.write(' ')],
    ['sends no headers', () => undefined],
  ])('W28 sends no request after the signal, also to a server that %s', async (_, drop) => {
    const timers: NodeJS.Timeout[] = [];
    const controller = new AbortController();
    const client = await clientOf((_, response) => {
      timers.push(setInterval(() => drop(response), 20));
    }, controller.signal);
    const asked = client.ask('GET', '/slow');
    await expect.poll(() => stranger.asked()).toEqual(['/slow']);
    setTimeout(() => controller.abort(), 200);
    expect(await asked).toMatchObject({ status: 0, body: '' });
    expect(await client.ask('GET', '/slow')).toMatchObject({ status: 0, failure: /^not sent within/ });
    expect(stranger.asked()).toEqual(['/slow']);
    for (const timer of timers) clearInterval(timer);
    await client.close();
  });

  it('W28 reads at most 5 MiB of an endless body', async () => {
    let isOpen = true;
    const client = await clientOf((_, response) => {
      response.once('close', () => {
        isOpen = false;
      });
      const more = (): void => void (isOpen && response.write(' '.repeat(1_000_000), more));
      more();
    });
    const failure = 'more than 5242880 bytes';
    expect(await client.ask('GET', '/endless')).toMatchObject({ status: 0, body: '', failure });
    await expect.poll(() => isOpen).toBe(false);
    await client.close();
  });

  it.runIf(isFull)('W28 checks wide and deep documents within its time limit', LONG, async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 40_000 }, (_, at) => [`/${at}`, { get: { responses: { 402: 1 } } }]),
    );
    const wide = await examine([ENTRY], refuse, { '/openapi.json': JSON.stringify({ paths }) });
    expect(wide.code).toBe(1);
    const deep = await examine([ENTRY], refuse, { '/openapi.json': '['.repeat(2_000_000) + ']'.repeat(2_000_000) });
    expect([deep.code, deep.stdout]).toEqual([2, '']);
    expect(deep.stderr).toMatch(/cannot be examined \(RangeError: its JSON is more than 100 levels deep\)\.\n$/);
  });

  it('W24 prints every foreign text as one line without hidden characters', async () => {
    const bad = '\u001b[31m\u202e\u2066\u200b\r\n✗ GET forged: line. Do it\u0007\u{e0041}\u2028\u3164';
    const { stdout, stderr } = await examineHere(
      [
        { ...ENTRY, surface: bad, description: bad },
        { ...ENTRY, path: `/${bad}`, httpMethod: bad, priceUsd: bad },
      ],
      (_, response) =>
        void response.writeHead(402).end(JSON.stringify({ resource: { url: bad }, accepts: [{ amount: bad }] })),
      { '/.well-known/x402': JSON.stringify({ resources: [bad] }) },
    );
    expect(stdout).toContain('forged');
    expect(stdout).not.toMatch(/^✗ GET forged/m);
    expect(stdout).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
    expect(stderr).toBe('');
  });
});
