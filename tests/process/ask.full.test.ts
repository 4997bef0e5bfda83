import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { runHere } from '../cli/in-process.ts';
import { freePort } from '../http/ports.ts';
import { rowOf } from '../http/targets.ts';
import { node, runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { type Answerer, json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

const ASK = 'packages/cli/bin/main.js';

const folder = makeFolder();
/** Another server. */
const strange = await startStrangeGateway();
const gateway = await startTestGateway({}, { paid: true });

const environment = (ASSET_GATEWAY_URL = gateway.url) => ({
  env: { ASSET_GATEWAY_URL, HOME: folder, npm_lifecycle_event: 'ask' },
});
/** Runs the command line. */
const askProgram = (...words: string[]) => runCommand(node(ASK, ...words), environment());
/** Runs it in this process, against this gateway or another URL. */
const ask = (words: readonly string[], url?: string) => runHere(words, environment(url));

const arrivals = (): number => gateway.upstream.arrivals.length + (gateway.solana?.provider.arrivals.length ?? 0);

/** Runs it and expects no upstream call. */
async function refused(words: readonly string[], url?: string) {
  const before = [arrivals(), gateway.logLines.length];
  const outcome = await ask(words, url);
  expect([arrivals(), gateway.logLines.length]).toEqual(before);
  expect(outcome.stdout).toBe('');
  expect(outcome.stderr).not.toMatch(/ at |node:/);
  return outcome;
}

describe('ask says what to type', () => {
  const MINTS = JSON.stringify(rowOf('tokens.marketSnapshots').example.body);
  const SOLD = 'solana/mainnet/helius/rpc/getBalance';
  const PARAMS = JSON.stringify(rowOf('rpc.mainnet.helius.getBalance').example.body);

  it.each([
    [
      'if a body is missing',
      ['assets/market-snapshots'],
      `/v1/x402/tokens/assets/market-snapshots takes a JSON body; type npm run ask -- assets/market-snapshots '${MINTS}'`,
    ],
    [
      'if the body of a paid route is missing',
      ['--pay', SOLD],
      `/v1/x402/${SOLD} takes a JSON body; type npm run ask -- --pay ${SOLD} '${PARAMS}'`,
    ],
    [
      'if the body is no JSON',
      ['assets/market-snapshots', '{mints:[]}'],
      `the body is not JSON; put it between single quotes: npm run ask -- assets/market-snapshots '${MINTS}'`,
    ],
    [
      'if a shell has split the body',
      ['assets/market-snapshots', '{mints:', '[]}'],
      `the body has several words; put it between single quotes: npm run ask -- assets/market-snapshots '${MINTS}'`,
    ],
    [
      'if a body is not allowed',
      ['assets/search?q=gold', '{}'],
      "/v1/x402/tokens/assets/search?q=gold takes no body; type npm run ask -- 'assets/search?q=gold'",
    ],
    ['without the keypair file', ['--keypair', 'none.json', 'assets/solana'], '--keypair: there is no file none.json'],
  ])('%s, and sends no request', async (_, words, sentence) => {
    const { code, stderr } = await refused(words);
    expect([code, stderr]).toEqual([2, `ask: ${sentence}\n`]);
  });

  it('if an option is unknown', async () => {
    const words = ['--payy', 'assets/solana'];
    const outcome = await refused(words);
    const stderr = "ask: Unknown option '--payy'; npm run ask -- --help lists the options\n";
    expect(outcome).toEqual({ code: 2, stdout: '', stderr });
    expect(await askProgram(...words)).toEqual(outcome);
  });

  it('if the keypair file is invalid, without showing it', async () => {
    const file = join(folder, 'key.txt');
    const key = bs58.encode(newKeypair());
    for (const text of [key, `[${key.length}]`, '{}']) {
      writeFileSync(file, text);
      const { code, stderr } = await refused(['--keypair', file, 'assets/solana']);
      const told = 'ask: --keypair takes a Solana CLI keypair file: a JSON array of 64 numbers\n';
      expect([code, stderr]).toEqual([2, told]);
    }
  });
});

const [HTML, TEXT] = [{ 'Content-Type': 'text/html' }, { 'Content-Type': 'text/plain' }];
/** The sentences after `ask: `. */
const saidIn = ({ stderr }: { readonly stderr: string }): string[] =>
  [...stderr.matchAll(/^ask: (.*)$/gm)].map(([, sentence = '']) => sentence);

describe('ask says what to do', async () => {
  const origin = 'ASSET_GATEWAY_URL must be an origin such as http://localhost:8402';
  const { url: other } = strange;
  const notGateway = (status: number) =>
    `${other} answers ${status} and is not a gateway; set ASSET_GATEWAY_URL to one`;
  const silent = `http://127.0.0.1:${await freePort()}`;

  it.each([
    [silent, 1, `nothing listens on ${silent}; run npm start first, or set ASSET_GATEWAY_URL`],
    ['localhost:8402', 2, origin],
    ['gateway', 2, origin],
    ['ftp://gateway.example', 2, origin],
    ['http://gateway.invalid', 1, expect.stringMatching(/gateway\.invalid.*set ASSET_GATEWAY_URL/)],
  ])('for %s, where no gateway is', async (url, code, sentence) => {
    const outcome = await refused(['assets/solana'], url);
    expect([outcome.code, saidIn(outcome)]).toEqual([code, [sentence]]);
  });

  it.each<[string, Answerer, string]>([
    ['a page', (_, response) => response.writeHead(200, HTML).end('<p>hello</p>'), notGateway(200)],
    ['a text that says no', (_, response) => response.writeHead(404, TEXT).end('no'), notGateway(404)],
    ['JSON of somebody else', (_, response) => json(response, 404, {}), notGateway(404)],
    ['nothing', (_, response) => response.writeHead(200).end(), notGateway(200)],
    [
      'a redirect, which it does not follow',
      (_, response) => response.writeHead(308, { Location: gateway.url }).end(),
      `${other} redirects; set ASSET_GATEWAY_URL to the redirect's target`,
    ],
    [
      'a broken connection',
      (_, response) => response.destroy(),
      `${other} cannot be reached (UND_ERR_SOCKET); set ASSET_GATEWAY_URL to a gateway`,
    ],
  ])('if another server answers with %s', async (_, answer, sentence) => {
    strange.answer(answer);
    const { code, stdout, ...outcome } = await ask(['assets/solana'], other);
    expect([code, stdout, saidIn(outcome).at(-1)]).toEqual([1, '', sentence]);
  });

  it('if the RPC is unreachable, and pays nothing', async () => {
    const file = join(folder, 'id.json');
    writeFileSync(file, JSON.stringify([...newKeypair()]));
    const port = await freePort();
    const path = 'helius/wallet/balances/86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
    const { code, stdout, stderr } = await ask(['--pay', '--keypair', file, '--rpc', `http://127.0.0.1:${port}`, path]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`ask: nothing answers on port ${port}; give --rpc another URL\n`);
    expect(gateway.solana?.mainnet.transfers).toEqual([]);
  });
});
