import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { type House, startHouse } from '../kit/house.ts';
import { compileGateway } from '../process/program.ts';
import { type FaultyProxy, startProxy } from './proxy.ts';
import { inDocument } from './seeds.ts';

let house: House;
beforeAll(async () => {
  await compileGateway();
  house = await startHouse({}, { paid: true });
}, 120_000);
afterAll(() => house.stop());

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program as it is installed. */
const doctor = (...words: string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH };
    execFile(
      process.execPath,
      ['packages/gateway/dist/main.js', 'doctor', ...words],
      { env },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

async function behindProxy(alter: FaultyProxy['alter'], look: (url: string) => Promise<void>): Promise<void> {
  const proxy = await startProxy(house.port);
  proxy.alter = alter;
  await look(proxy.url).finally(() => proxy.stop());
}

describe('asset-gateway doctor', () => {
  it('takes a URL and nothing else, and finds nothing to fix with our own gateway', async () => {
    const { code, stdout, stderr } = await doctor(house.url);
    expect(stdout).toMatch(/^✓ http:\/\/127\.0\.0\.1:\d+: nothing to fix \(60 routes, \d+ requests\)\.\n$/);
    expect([code, stderr]).toEqual([0, '']);
    expect(house.upstream.arrivals).toEqual([]);
    expect(house.shop?.provider.arrivals).toEqual([]);
  });

  it('prints a line for each thing to fix, and what is the same in many places once', async () => {
    const plainGateway: FaultyProxy['alter'] = ({ status, headers }) =>
      status === 404 ? { headers: { ...headers, 'access-control-allow-origin': '' } } : undefined;
    await behindProxy(plainGateway, async (url) => {
      const { code, stdout } = await doctor(url);
      const lines = stdout.trimEnd().split('\n');
      const found = lines.filter((line) => line.includes('browsers withhold this 404'));
      expect(code).toBe(1);
      expect(found).toEqual([
        `✗ GET ${url}/nothing-is-served-here and 1 more: browsers withhold this 404 from scripts. ` +
          'Send Access-Control-Allow-Origin: * with every answer, once.',
      ]);
      expect(lines.slice(0, -1).every((line) => /^✗ [A-Z]+ http\S+.*: .*\. .*\.$/.test(line))).toBe(true);
      expect(lines.at(-1)).toMatch(/ \d+ to fix \(/);
    });
  });

  it.each([[[]], [['nonsense']], [['ftp://gateway.example']], [['http://127.0.0.1:1', 'more']]])(
    'says how it is used when it is given %j',
    async (words) => {
      const { code, stdout, stderr } = await doctor(...words);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^Usage: asset-gateway doctor <url>\n/);
    },
  );

  it('says so when nothing answers, or something else does', async () => {
    const silent = await doctor(`http://127.0.0.1:${await freePort()}`);
    expect([silent.code, silent.stdout]).toEqual([2, '']);
    expect(silent.stderr).toMatch(/gives no answer \(ECONNREFUSED\)\.\n$/);
    const other = await doctor(house.upstream.url);
    expect([other.code, other.stdout]).toEqual([2, '']);
    expect(other.stderr).toMatch(/answers \d+ and is no catalog: give the URL of a gateway\.\n$/);
  });

  it('names the URL that it is redirected to, and does not go there', async () => {
    const redirect: FaultyProxy['alter'] = () => ({ status: 308, headers: { location: 'https://gateway.example/' } });
    await behindProxy(redirect, async (url) => {
      const { code, stderr } = await doctor(url);
      expect(code).toBe(2);
      expect(stderr).toMatch(/redirects to https:\/\/gateway\.example\/: give the URL that answers itself\.\n$/);
    });
  });

  it('goes on when the catalog lists what cannot be asked for', async () => {
    const spaced = inDocument('/v1/catalog', ({ routes }: { routes: { path: string }[] }) => {
      for (const route of routes.slice(0, 10)) route.path = '/a b';
    });
    await behindProxy(spaced, async (url) => {
      const { code, stdout } = await doctor(url);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^✗ GET http\S+\/a b and \d+ more: there was no complete answer \(not a path\)\./m);
      expect(stdout).toMatch(/ \d+ to fix \(60 routes, \d+ requests\)\.\n$/);
    });
  });

  it.each([
    ['is too deep', '/openapi.json', () => '['.repeat(100_000) + ']'.repeat(100_000)],
    [
      'holds half a character',
      '/v1/catalog',
      (body: string) => body.replace('"assetId":"solana"', '"assetId":"\\ud800"'),
    ],
  ] as const)('says that it cannot look at a document that %s', async (_, path, change) => {
    const alter: FaultyProxy['alter'] = ({ target, body }) =>
      target === path ? { status: 200, body: change(body) } : undefined;
    await behindProxy(alter, async (url) => {
      const { code, stdout, stderr } = await doctor(url);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^doctor: http:\S+ cannot be looked at \(\w+Error: .+\)\.\n$/);
    });
  });
});
