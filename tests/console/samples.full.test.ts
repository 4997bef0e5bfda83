import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { payWith } from '@asset-gateway/client/pay';
import { createTools } from '@asset-gateway/client/tools';
import { beforeAll, expect, it } from 'vitest';
import { browserSuite } from '../kit/chromium.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { runCode } from '../kit/run-code.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { pageInSuite, runSample, samplesIn, targetsSince } from './console.ts';

const run = promisify(execFile);
const PYTHON = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import cryptography']).status === 0,
);

const gateway = await startTestGateway({ CREDIT: 'on' }, { paid: true });

browserSuite('the samples of Routes', () => {
  const chain = gateway.solana.mainnet;
  const keypair = newKeypair();
  const signer = signerFromBytes(keypair);
  const folder = makeFolder();
  const walletFile = join(folder, 'wallet.json');
  const { seen, page } = pageInSuite(`${gateway.url}/#/routes`);
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(walletFile, JSON.stringify([...keypair]));
    await chain?.fundUsdc(signer.address, 1_000_000n);
  });

  async function samplesAt(place: string, wanted?: readonly string[]): Promise<Record<string, string>> {
    await page.goto(`${gateway.url}/#/routes/${place}`);
    return samplesIn(page, wanted);
  }

  const env = { HOME: folder, ASSET_GATEWAY_KEYPAIR: walletFile, ASSET_GATEWAY_RPC_URL: chain?.url };
  const runShell = (text = '') => runSample(text, env);

  /** Runs TypeScript and Python with the wallet's file and the sandbox's RPC in place of the names that they show. */
  const runTypeScript = (text = '') =>
    runCode(
      text
        .replace("'wallet.json'", JSON.stringify(walletFile))
        .replace('https://api.mainnet-beta.solana.com', chain?.url ?? ''),
      {},
    );
  async function runPython(text = ''): Promise<unknown> {
    const file = join(folder, 'sample.py');
    writeFileSync(file, text);
    if (!PYTHON) return undefined;
    return JSON.parse((await run(PYTHON, [file], { cwd: folder })).stdout);
  }

  it('call a free route with any text, each with the same target', async () => {
    const q = `it's "$(id)" \\ ü`;
    const samples = await samplesAt(`tokens.search?q=${encodeURIComponent(q)}&limit=3`);
    expect(Object.keys(samples)).toEqual(['curl', 'TypeScript', 'Python', 'CLI', 'MCP']);
    expect(await runShell(samples.curl)).toMatch(/^HTTP\/1\.1 402 /);
    const before = gateway.upstream.arrivals.length;
    expect(await runTypeScript(samples.TypeScript)).toMatchObject({ code: 0, stderr: '' });
    const answers = [JSON.parse(await runShell(samples.CLI)), await runPython(samples.Python)];
    expect(answers.map((each) => each?.result.query)).toEqual([q, PYTHON && q]);
    const { name, arguments: given } = JSON.parse(samples.MCP ?? '');
    const tool = createTools(createClient({ baseUrl: gateway.url })).find((each) => each.name === name);
    await tool?.execute(given);
    const targets = targetsSince(gateway.upstream.arrivals, before).map((each) => decodeURIComponent(each));
    expect(new Set(targets).size).toBe(1);
    expect(targets.length).toBe(PYTHON ? 4 : 3);
  });

  it('pay for a paid route, at most its price', async () => {
    const samples = await samplesAt('rpc.mainnet.helius.getBalance');
    expect(await runShell(samples.curl)).toMatch(/^HTTP\/1\.1 402 /);
    expect(chain?.transfers.filter(({ to }) => to === gateway.solana.payTo)).toEqual([]);
    expect(await runTypeScript(samples.TypeScript)).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(await runShell(samples.CLI))).toMatchObject({ ok: true, priceUsd: '0.000005' });
    const paid = chain?.transfers.filter(({ to }) => to === gateway.solana.payTo);
    expect(paid?.map(({ amount }) => amount)).toEqual([5n, 5n]);
    const { name, arguments: given } = JSON.parse(samples.MCP ?? '');
    const pay = payWith({ wallet: keypair, rpcUrl: chain?.url ?? '' });
    const client = createClient({ baseUrl: gateway.url, signer, pay });
    const tool = createTools(client).find((each) => each.name === `${name}_${given.method}`);
    await tool?.execute(given.arguments);
    await client.credit.buy();
    const balanceOf = async () => (await client.credit.balance()).balances[0]?.balanceMicros;
    const before = await balanceOf();
    expect(await runPython(samples.Python)).toMatchObject(PYTHON ? { ok: true, priceUsd: '0.000005' } : {});
    expect(await balanceOf()).toBe(Number(before) - (PYTHON ? 5 : 0));
  }, 60_000);

  it('exist for every route, and Python parses each', async () => {
    await page.goto(`${gateway.url}/#/routes`);
    const places = await page.locator('.entry').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(places.length).toBe(43);
    const texts: string[] = [];
    // All routes go through the same code.
    for (const place of places.filter((_, at) => isFull || at % 9 === 0)) {
      const samples = await samplesAt(place?.replace('#/routes/', '') ?? '', ['TypeScript', 'Python']);
      texts.push(samples.Python ?? '');
      expect(samples.TypeScript).toMatch(/^console\.log\(await client\.[a-z]+\.\w+\(.*\)\);$/m);
    }
    const program = 'import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)';
    const input = JSON.stringify(texts);
    const { status, stderr } = spawnSync(PYTHON ?? 'python3', ['-c', program], { input, encoding: 'utf8' });
    expect([status, stderr, seen.faults]).toEqual([0, '', []]);
  }, 60_000);
});
