import { describe, expect, it } from 'vitest';
import { served } from '../discovery/everything.ts';
import { freePort } from '../http/ports.ts';
import { gated } from '../http/targets.ts';
import { node, runCommand } from '../kit/command.ts';
import { type RecordingProxy, startRecordingProxy } from '../kit/recording-proxy.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { inDocument } from './seeds.ts';
import { run } from './stranger.ts';

/** Runs the doctor behind a proxy that changes the answers of a gateway. */
async function runBehind({ port }: TestGateway, alter: RecordingProxy['alter']) {
  const proxy = await startRecordingProxy(port);
  proxy.alter = alter;
  return { ...(await run(proxy.url)), url: proxy.url };
}

const selling = await startTestGateway({}, { paid: true });
const free = await startTestGateway();

it('asset-gateway doctor finds nothing to fix at our own gateway, with the URL as its only argument', async () => {
  const { code, stdout, stderr } = await runCommand(node('packages/gateway/bin/main.js', 'doctor', selling.url));
  const lines = stdout.split('\n');
  const whole = `nothing to fix \\(${served.length} routes, \\d+ requests\\)\\.$`;
  expect(lines.at(-2)).toMatch(new RegExp(`^✓ http://127\\.0\\.0\\.1:\\d+: ${whole}`));
  expect(lines.slice(0, -2)).toEqual([
    '· a sale can lose money: the lowest price is $0.000005 (rpc), and a usual settlement costs its fee payer $0.002501 at $250 a SOL.',
  ]);
  expect([code, stderr]).toEqual([0, '']);
  expect(selling.upstream.arrivals).toEqual([]);
  expect(selling.solana?.provider.arrivals).toEqual([]);
});

it('asset-gateway doctor prints one line per fault, also if it occurs in many places', async () => {
  const { code, stdout, url } = await runBehind(free, ({ status, headers }) =>
    status === 404 ? { headers: { ...headers, 'access-control-allow-origin': '' } } : undefined,
  );
  const lines = stdout.trimEnd().split('\n');
  const found = lines.filter((line) => line.includes('browsers hide this 404'));
  expect([code, found]).toEqual([
    1,
    [
      `✗ GET ${url}/nothing-is-served-here and 1 more: browsers hide this 404 from scripts. ` +
        'Send Access-Control-Allow-Origin: * once with every answer.',
    ],
  ]);
  const faults = lines.slice(0, -1).filter((line) => !line.startsWith('· '));
  expect(faults.every((line) => /^✗ [A-Z]+ http\S+.*: .*\. .*\.$/.test(line))).toBe(true);
  expect(lines.at(-1)).toMatch(/ \d+ to fix \(/);
});

describe('the command of the doctor', () => {
  it.each([[[]], [['nonsense']], [['ftp://gateway.example']], [['http://127.0.0.1:1', 'more']]])(
    'prints its usage for %j, after what is wrong',
    async (words) => {
      const { code, stdout, stderr } = await run(...words);
      expect([code, stdout]).toEqual([2, '']);
      const fault = words.length === 0 ? '' : 'doctor: pass one URL that starts with http:// or https://.\n';
      expect(stderr.startsWith(`${fault}Usage: asset-gateway doctor <url>\n`)).toBe(true);
    },
  );

  it('says so if nothing answers, or not a gateway', async () => {
    const silent = await run(`http://127.0.0.1:${await freePort()}`);
    expect([silent.code, silent.stdout]).toEqual([2, '']);
    expect(silent.stderr).toMatch(/does not answer \(ECONNREFUSED\)\.\n$/);
    const other = await run(free.upstream.url);
    expect([other.code, other.stdout]).toEqual([2, '']);
    expect(other.stderr).toMatch(/answers \d+ without a catalog: pass the URL of a gateway\.\n$/);
  });

  it('names the target of a redirect and does not follow it', async () => {
    const headers = { location: 'https://gateway.example/' };
    const { code, stderr } = await runBehind(free, () => ({ status: 308, headers }));
    expect(code).toBe(2);
    expect(stderr).toMatch(/redirects to https:\/\/gateway\.example\/: pass the final URL\.\n$/);
  });

  it('continues if the catalog lists invalid paths', async () => {
    const spaced = inDocument('/v1/catalog', ['routes'], (routes: object[]) =>
      routes.map((route, at) => (at < 10 ? { ...route, path: '/a b' } : route)),
    );
    const { code, stdout } = await runBehind(free, spaced);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ GET http\S+\/a b and \d+ more: there was no complete answer \(not a path\)\./m);
    expect(stdout).toMatch(new RegExp(` \\d+ to fix \\(${gated.length} routes, \\d+ requests\\)\\.\\n$`));
  });

  it.each<[string, string, (body: string) => string]>([
    ['is too deep', '/openapi.json', () => '['.repeat(100_000) + ']'.repeat(100_000)],
    ['has half a surrogate pair', '/v1/catalog', (body) => body.replace('"assetId":"solana"', '"assetId":"\\ud800"')],
  ])('says that it cannot examine a document that %s', async (_, path, change) => {
    const { code, stdout, stderr } = await runBehind(free, ({ target, body }) =>
      target === path ? { status: 200, body: change(body) } : undefined,
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^doctor: http:\S+ cannot be examined \(\w+Error: .+\)\.\n$/);
  });
});
