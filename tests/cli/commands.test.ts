import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair, signerFromFile } from '@asset-gateway/client/node';
import bs58 from 'bs58';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { openFixture, SOL, unchanged, WALLET } from './fixture.ts';

const fixture = await openFixture();
afterEach(() => fixture.gateway.upstream.faults.reset());

/** The last answer of the gateway. */
const lastAnswer = (): string => fixture.proxy.exchanges.at(-1)?.body ?? '';
const lastTarget = (): string | undefined => fixture.proxy.exchanges.at(-1)?.target;

function makeKeypair(file: string): string {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, JSON.stringify([...newKeypair()]));
  return signerFromFile(file).address;
}

it.each([
  ['search gold', '/v1/x402/tokens/assets/search?q=gold'],
  ['search paxos gold --limit 2', '/v1/x402/tokens/assets/search?q=paxos%20gold&limit=2'],
  ['price solana', '/v1/x402/tokens/assets/solana?include=ohlcv'],
  ['chart solana --interval 1D', '/v1/x402/tokens/assets/solana/price-chart?interval=1D'],
  ['variants gold --trust-tier tier1', '/v1/x402/tokens/assets/gold/variants?trustTier=tier1'],
  [`risk ${SOL}`, `/v1/x402/tokens/assets/risk-summary?mint=${SOL}`],
  ['markets solana', '/v1/x402/tokens/assets/solana/markets'],
  ['tickers solana', '/v1/x402/tokens/assets/solana/tickers'],
  [`balances ${WALLET} --pay`, `/v1/x402/helius/wallet/balances/${WALLET}`],
  [`rpc getBalance ${SOL} --pay`, '/v1/x402/solana/mainnet/helius/rpc/getBalance'],
  ['assets/solana/profile', '/v1/x402/tokens/assets/solana/profile'],
  ['/llms.txt', '/llms.txt'],
  ['credit', '/v1/x402/credit'],
])('the command %s requests %s and pipes the bytes of the answer', async (typed, target) => {
  expect(await fixture.run(typed)).toMatchObject({ code: 0, stdout: lastAnswer() });
  expect(lastTarget()).toBe(target);
});

it('a command of the RPC goes to the chosen cluster and provider', async () => {
  const typed = `rpc getAccountInfo ${SOL} {"encoding":"base64"} --cluster devnet --provider alchemy`;
  const { code, stdout } = await fixture.run(typed);
  expect([code, lastTarget()]).toEqual([1, '/v1/x402/solana/devnet/alchemy/rpc/getAccountInfo']);
  expect(JSON.parse(stdout).error).toBe('payment_required');
});

it('routes prints a line for each route, with both prices', async () => {
  const { run } = fixture.newUser();
  const { code, stdout } = await run('routes balance');
  const lines = stdout.trimEnd().split('\n');
  const last = 'GET\t/v1/x402/helius/wallet/balances/:wallet\t0.0005\t0.0005';
  expect([code, lines.length, lines.at(-1)]).toEqual([0, 5, last]);
  expect(Buffer.byteLength((await run('routes')).stdout)).toBeLessThan(5000);
  expect([fixture.proxy.exchanges.at(-1)?.status, lastAnswer().length]).toEqual([304, 0]);
});

it('credit buys an amount that then pays for calls without transfers', async () => {
  const { run } = fixture.newUser();
  await run('wallet new');
  const passed = fixture.proxy.exchanges.length;
  const needsPay = { code: 2, stdout: '', stderr: expect.stringContaining('add --pay\n') };
  expect(await run('credit buy 0.05')).toEqual(needsPay);
  expect(fixture.proxy.exchanges).toHaveLength(passed);
  const bought = { code: 0, stderr: expect.stringContaining('credit: $0.05 left\n') };
  expect(await run('credit buy 0.05 --pay')).toMatchObject(bought);
  const before = fixture.transfers();
  const charged = { code: 0, stderr: expect.stringContaining('credit: charged $0.0005, $0.0495 left\n') };
  expect(await run(`balances ${WALLET} --pay`)).toMatchObject(charged);
  expect(fixture.transfers()).toBe(before);
});

it('credit that is bought without a wallet belongs to a new, stored wallet', async () => {
  const { home, run } = fixture.newUser();
  const file = join(home, '.local/state/asset-gateway/wallet.json');
  expect((await run('credit buy 0.05')).code).toBe(2);
  expect(existsSync(file)).toBe(false);
  const bought = await run('credit buy 0.05 --pay');
  expect(bought).toMatchObject({ code: 0, stderr: expect.stringContaining(`made a wallet; its key is in ${file}\n`) });
  expect(bought.stderr).toContain(`signed by ${signerFromFile(file).address}\n`);
  const before = fixture.transfers();
  const charged = { code: 0, stderr: expect.stringContaining('credit: charged $0.0005, $0.0495 left\n') };
  expect(await run(`balances ${WALLET} --pay`)).toMatchObject(charged);
  expect(fixture.transfers()).toBe(before);
});

it('a wallet is made once in a private file, and gets play money in the sandbox', async () => {
  const { home, run } = fixture.newUser();
  const file = join(home, '.local/state/asset-gateway/wallet.json');
  const none = 'asset-gateway-client: you have no wallet yet; make one: asset-gateway-client wallet new\n';
  expect(await run('wallet show')).toMatchObject({ code: 1, stderr: none });
  const made = await run('wallet new');
  const { address } = signerFromFile(file);
  expect(made).toEqual({ code: 0, stdout: `${address}\n`, stderr: `its key is in ${file}\n` });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await run('wallet show')).stdout).toBe(`${address}\n`);
  expect(JSON.parse((await run('wallet show --json')).stdout)).toEqual({ address, keyIn: file });
  const kept = readFileSync(file, 'utf8');
  expect((await run('wallet new')).code).toBe(2);
  expect(readFileSync(file, 'utf8')).toBe(kept);
  expect(await run('wallet fund')).toMatchObject({ code: 0, stderr: 'the sandbox has sent it play money\n' });
  const elsewhere = { code: 0, stderr: expect.stringContaining('send it USDC on Solana') };
  expect(await run(`wallet fund --rpc ${fixture.proxy.url}`)).toMatchObject(elsewhere);
});

it('the wallet of the Solana command line is the last choice', async () => {
  const { home, run } = fixture.newUser();
  const address = makeKeypair(join(home, '.config/solana/id.json'));
  expect((await run('wallet show')).stdout).toBe(`${address}\n`);
  expect((await run('price solana')).stderr).toContain(`signed by ${address}\n`);
  const other = join(home, 'other.json');
  const named = makeKeypair(other);
  expect((await run('wallet show', { ASSET_GATEWAY_KEYPAIR: other })).stdout).toBe(`${named}\n`);
});

it.each([
  ['damaged', 'wallet.json', (file: string) => writeFileSync(file, '[1,2')],
  ['a folder', 'wallet.json', (file: string) => mkdirSync(file)],
  ['a link that leads nowhere', 'wallet.json', (file: string) => symlinkSync(`${file}.gone`, file)],
  ['empty', 'wallet.keychain', (file: string) => writeFileSync(file, '')],
  ['a folder', 'wallet.keychain', (file: string) => mkdirSync(file)],
])('no other wallet signs or pays if your own file is %s: %s', async (_, name, damage) => {
  const { home, run } = fixture.newUser();
  makeKeypair(join(home, '.config/solana/id.json'));
  const folder = join(home, '.local/state/asset-gateway');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  damage(file);
  const before = fixture.proxy.exchanges.length;
  const advice = 'restore the file, or its permissions, or name a wallet with --keypair';
  const stderr = `asset-gateway-client: your wallet in ${file} cannot be read, and no other is used; ${advice}\n`;
  for (const typed of ['price solana', `balances ${WALLET} --pay`, 'credit buy 0.05 --pay', 'wallet show'])
    expect(await run(typed)).toEqual({ code: 2, stdout: '', stderr });
  expect(await run('wallet new')).toMatchObject({ code: 2, stdout: '' });
  expect(fixture.proxy.exchanges.slice(before).filter(({ target }) => !target.startsWith('/v1/catalog'))).toEqual([]);
  expect(readdirSync(folder)).toEqual([name]);
});

it.each([
  ['a JSON array', (key: Uint8Array) => JSON.stringify([...key])],
  ['base58', (key: Uint8Array) => bs58.encode(key)],
  ['base58 of its seed', (key: Uint8Array) => bs58.encode(key.subarray(0, 32))],
  ['hex', (key: Uint8Array) => Buffer.from(key).toString('hex')],
  ['hex of its seed', (key: Uint8Array) => Buffer.from(key.subarray(0, 32)).toString('hex')],
  ['base64', (key: Uint8Array) => Buffer.from(key).toString('base64')],
  ['base64 with slashes', () => `ab/${'c/'.repeat(40)}=`],
  [
    'base64url of its seed',
    (key: Uint8Array) => Buffer.from(key.subarray(0, 32)).toString('base64url').replace(/^-/, '_'),
  ],
])('W35 a key is never an argument, and as %s it is never shown', async (_, form) => {
  const key = form(newKeypair());
  const { run } = fixture.newUser();
  for (const [name, words, env] of [
    // A key that starts with a hyphen is an option otherwise.
    ['--keypair', [`--keypair=${key}`], {}],
    ['ASSET_GATEWAY_KEYPAIR', [], { ASSET_GATEWAY_KEYPAIR: key }],
  ] as const) {
    const never = 'takes the path of a file; never type a key itself, because others could read it';
    const refused = { code: 2, stdout: '', stderr: `asset-gateway-client: ${name} ${never}\n` };
    expect(await run(['wallet', 'show', ...words], env)).toEqual(refused);
  }
  for (const words of [['wallet', key, 'x'], ...(key.includes('/') ? [] : [[key]])]) {
    const { code, stderr } = await run(words);
    expect([code, stderr.includes(key)]).toEqual([2, false]);
  }
});

it('a wallet is not stored if the keychain fails', async () => {
  const { run } = fixture.newUser();
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  const { code, stdout, stderr } = await run('wallet new --keychain', env);
  if (process.platform === 'linux') expect([code, stdout]).toEqual([1, '']);
  if (code !== 0) expect(stderr).toContain('omit --keychain');
  expect(await run('wallet show')).toMatchObject(code === 0 ? { code, stdout } : { code: 1, stdout: '' });
});

it("W35 no output shows the RPC's URL after its host, for any answer of the RPC", async () => {
  const rpc = await startStrangeGateway();
  rpc.answer(({ path }, response) => {
    const error = { code: -1, message: `no ${path} for you\nforged line\u202e` };
    json(response, 200, { jsonrpc: '2.0', id: 1, error });
  });
  const { home, run } = fixture.newUser();
  const file = join(home, 'id.json');
  makeKeypair(file);
  const before = fixture.transfers();
  for (const origin of [rpc.url, `http://127.0.0.1:${await freePort()}`]) {
    const url = `${origin}/key-in-path?api-key=key-in-query`;
    const { code, stderr } = await run(`balances ${WALLET} --pay --keypair ${file} --rpc ${url}`);
    expect([code, stderr.split('\n').some((line) => line.startsWith('forged'))]).toEqual([1, false]);
    for (const secret of ['key-in-path', 'key-in-query', '\u202e']) expect(stderr).not.toContain(secret);
  }
  expect(fixture.transfers()).toBe(before);
});

it('W36 a relative XDG folder is ignored: the wallet stays in the home', async () => {
  const { home, run } = fixture.newUser();
  const keyIn = (folder: string) => `its key is in ${join(home, folder, 'asset-gateway/wallet.json')}\n`;
  const env = { XDG_STATE_HOME: 'state-of-w36', XDG_CACHE_HOME: './cache-of-w36' };
  await run('routes', env);
  expect(await run('wallet new', env)).toMatchObject({ code: 0, stderr: keyIn('.local/state') });
  expect(['state-of-w36', 'cache-of-w36'].filter((folder) => existsSync(folder))).toEqual([]);
  expect((await run('wallet new', { XDG_STATE_HOME: join(home, 'elsewhere') })).stderr).toBe(keyIn('elsewhere'));
});

describe('the exit code', () => {
  const PAYING = `balances ${WALLET} --pay`;
  const codeOf = async (typed: string, env = {}) => (await fixture.run(typed, { env })).code;

  const NO_RPC = 'takes the http or https URL of a Solana RPC, without a user name and password';
  const SECRET_URL = 'http://user:pass-word@127.0.0.1:1/key-in-path?api-key=key-in-query';

  it.each([
    [1, '/nothing'],
    [1, 'price solana --gateway http://127.0.0.1:1'],
    [4, 'chart solana --interval 9Q'],
    [4, 'risk gold'],
    [2, ''],
    [2, 'serch gold'],
    [2, 'price'],
    [2, 'price solana --colour'],
    [2, `rpc getMoney ${SOL}`],
    [2, `rpc getBalance ${SOL} {} {}`],
    [2, 'credit buy much'],
    [2, 'credit sell 1'],
    [2, 'wallet lose'],
    [2, 'quote'],
    [2, 'quote spending'],
    [2, 'completion tcsh'],
    [2, `balances ${WALLET} --pay --max-call ten`],
    [2, `balances ${WALLET} --pay --credit`],
    [2, 'price solana --gateway gateway'],
    [2, 'price solana --gateway http://user:password@127.0.0.1:1'],
    [2, `price solana --rpc ${SECRET_URL}`, `: --rpc ${NO_RPC}\n`],
    [2, 'price solana --rpc ftp://127.0.0.1/key-in-path', `: --rpc ${NO_RPC}\n`],
    [2, 'price solana --rpc key-in-query', `: --rpc ${NO_RPC}\n`],
    [2, 'mcp --http --keypair id.json', '--http has no wallet, so its clients pay: leave --keypair'],
    [2, 'mcp --http 70000', '--http takes a port'],
    [2, 'mcp --budget-usd much --pay', 'mcp pays within --budget-usd, and beyond it asks: leave --pay out'],
    [2, 'mcp --budget-usd much', '--budget-usd takes dollars such as 0.05, not much'],
    [2, 'mcp serve --tools=some', 'mcp takes options only'],
    [2, 'mcp --tools=some', '--tools must be one of usual, all'],
  ])('is %i for %s', async (exit, typed, sentence = '') => {
    const before = fixture.proxy.exchanges.length;
    const { code, stdout, stderr } = await fixture.run(typed);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(sentence)]);
    expect(stderr).not.toMatch(/\n {4}at |node:|pass-word|key-in/);
    if (exit !== 2) return;
    // An unknown word may be an API of the gateway.
    const sent = fixture.proxy.exchanges.slice(before).filter(({ target }) => !target.startsWith('/v1/catalog'));
    expect([stdout, sent]).toEqual(['', []]);
  });

  it('W35 is 2 for a wrong RPC URL in a variable too, without showing the URL', async () => {
    const stderr = `asset-gateway-client: ASSET_GATEWAY_RPC_URL ${NO_RPC}\n`;
    const { run } = fixture.newUser();
    expect(await run('price solana', { ASSET_GATEWAY_RPC_URL: SECRET_URL })).toEqual({ code: 2, stdout: '', stderr });
  });

  it('3 is a spending limit, by option and by variable', async () => {
    const before = fixture.transfers();
    expect(await codeOf(`${PAYING} --max-call 0.0004`)).toBe(3);
    expect(await codeOf(`${PAYING} --max-day 0.0004`)).toBe(3);
    expect(await codeOf(PAYING, { ASSET_GATEWAY_MAX_USD_PER_CALL: '0.0004' })).toBe(3);
    expect(await codeOf(PAYING, { ASSET_GATEWAY_MAX_USD_PER_DAY: '0.0004' })).toBe(3);
    expect(fixture.transfers()).toBe(before);
    expect(await codeOf(`${PAYING} --max-day 0.0005`, { ASSET_GATEWAY_MAX_USD_PER_DAY: '0' })).toBe(0);
  });

  it('W16 6 is a payment that was sent and refused, and is not made again', async () => {
    const { run } = fixture.newUser();
    const { transfers, payments, answerPayments } = fixture;
    const [settled, sent] = [transfers(), payments()];
    answerPayments({ status: 402, body: { ok: false, error: 'payment_required', message: 'Pay again,\nplease.' } });
    const first = await run(PAYING);
    expect(first).toMatchObject({ code: 6, stdout: '' });
    expect(first.stderr).toMatch(/a payment of \$0\.0005 was sent and refused.*it counts as spent/);
    expect(first.stderr).not.toContain('nothing was paid');
    fixture.proxy.alter = unchanged;
    const again = await run(PAYING);
    expect([again.code, again.stdout, payments() - sent]).toEqual([6, '', 1]);
    expect(again.stderr).toContain('a payment of $0.0005 for this request was sent and refused; it counts as spent');
    const spending = { dayMicros: 500, spent: [{ step: 'refused' }], open: [] };
    expect(JSON.parse((await run('spending')).stdout)).toMatchObject(spending);
    expect(transfers() - settled).toBeLessThanOrEqual(1);
  });

  it('75 is a failing upstream', async () => {
    fixture.gateway.upstream.faults.status = 500;
    expect(await codeOf('price solana')).toBe(75);
  });

  it.each(['--help', 'chart -h', 'wallet --help', 'spending --help', 'resume --help', 'assets/x --help'])(
    'is 0 for %s, without a request, and the help begins with examples',
    async (typed) => {
      const before = fixture.proxy.exchanges.length;
      const { code, stdout } = await fixture.run(typed);
      expect([code, fixture.proxy.exchanges.length]).toEqual([0, before]);
      expect(stdout).toMatch(/^Usage: asset-gateway-client .*\n\nExamples:\n {2}asset-gateway-client /);
      expect(stdout.match(/^ {2}--json /gm)).toHaveLength(1);
    },
  );
});

it.each(['bash', 'zsh', 'fish'])('completion is a %s script that calls the program', async (shell) => {
  const { code, stdout } = await fixture.run(`completion ${shell}`);
  expect([code, stdout.includes('asset-gateway-client complete --')]).toEqual([0, true]);
});

it('completion knows commands, words and options', async () => {
  const offered = async (...words: string[]): Promise<string[]> => {
    const { stdout } = await fixture.run(['complete', '--', ...words]);
    return stdout.split('\n').map((line) => line.split('\t')[0] ?? '');
  };
  expect(await offered('')).toEqual(expect.arrayContaining(['search', 'price', 'resume']));
  expect(await offered('wallet', '')).toEqual(expect.arrayContaining(['new', 'show', 'fund']));
  expect(await offered('chart', 'solana', '--interval', '')).toEqual(expect.arrayContaining(['1H', '1D']));
  expect(await offered('rpc', 'getB')).toContain('getBalance');
});
