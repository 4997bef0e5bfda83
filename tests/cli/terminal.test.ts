import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { afterEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../packages/cli/src/commands/index.ts';
import { period } from '../../packages/cli/src/show/chart.ts';
import { openFixture, WALLET } from './fixture.ts';
import { passingTo, runOn } from './in-process.ts';

const COLUMNS = 80;
const fixture = await openFixture();
const { mainnet } = fixture.gateway.solana;
afterEach(() => mainnet.faults.reset());

/** Runs a command at a terminal of 80 columns, where a user gives this answer to a question. */
async function runAtTerminal(typed: string, { home = fixture.newHome(), answer = '' } = {}) {
  const shown = { stdout: '', stderr: '' };
  const terminal = { isTTY: true, columns: COLUMNS };
  const stdin = Object.assign(new PassThrough(), terminal);
  const stream = (name: 'stdout' | 'stderr') =>
    Object.assign(
      passingTo((chunk) => {
        shown[name] += chunk.toString();
        if (name === 'stderr' && chunk.toString().includes('[y/N]')) stdin.write(`${answer}\n`);
      }),
      terminal,
    );
  const streams = { stdin, stdout: stream('stdout'), stderr: stream('stderr') };
  const env = { ...fixture.environment(home), NO_COLOR: '1', TERM: 'dumb' };
  const code = await runOn(streams, typed.split(' '), env);
  return { code, ...shown };
}

/** The options of a wallet of the user's own with this many millionths. */
async function ownWallet(micros: number): Promise<string> {
  const keypair = newKeypair();
  const { address } = signerFromBytes(keypair);
  const file = join(fixture.folder, `${address}.json`);
  writeFileSync(file, JSON.stringify([...keypair]));
  if (micros > 0) await mainnet.fundUsdc(address, BigInt(micros));
  return `--keypair ${file}`;
}

describe('a word that the gateway does not know', () => {
  it.each([
    ['price solanna', 'search solanna'],
    ['chart solanna', 'search solanna'],
    ['risk gold', 'variants gold'],
  ])('of %s leads to %s', async (typed, next) => {
    for (const { code, stderr } of [await runAtTerminal(typed), await fixture.run(typed)]) {
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining(`try: asset-gateway-client ${next}\n`)]);
    }
  });
});

it('the list of routes cuts no path, so that each can be typed', async () => {
  const { code, stdout } = await runAtTerminal('routes');
  const paths = stdout.split('\n').map((line) => line.split(/\s+/)[1] ?? '');
  expect([code, paths.filter((path) => path.includes('…'))]).toEqual([0, []]);
  expect(paths).toContain('solana/mainnet/helius/rpc/getSignaturesForAddress');
});

describe('a message names the options of the command line', () => {
  it.each([
    ['chart solana --from yesterday', '--from: Must be an integer in decimal digits. Start of the range, Unix seconds'],
    ['chart solana --from 5 --to 4', '  --from, --to: to must not be before from.\n'],
    ['search gold --limit 0', '  --limit: Must be at least 1.'],
  ])('if the gateway refuses %s', async (typed, line) => {
    const { code, stdout } = await runAtTerminal(typed);
    expect([code, stdout]).toEqual([4, expect.stringMatching(/^invalid_request {2}The input breaks these rules:\n/)]);
    expect(stdout).toContain(line);
  });

  it.each([
    ['price solana --timeout 0.001', 'no answer within 0.001 s; try again, or raise --timeout\n'],
    [`balances ${WALLET} --pay --max-call 0.0001`, 'above the cap of $0.0001 a call (--max-call); nothing was signed'],
    [`balances ${WALLET} --pay --max-day 0.0001`, 'would exceed $0.0001 in 24 hours (--max-day); nothing was signed\n'],
  ])('if %s goes beyond one', async (typed, sentence) => {
    expect((await fixture.run(typed)).stderr).toContain(sentence);
  });

  it('X22 if the wallet holds too little, and says how the sandbox fills it', async () => {
    const { code, stderr } = await fixture.run(`balances ${WALLET} --pay ${await ownWallet(499)}`);
    expect(code).toBe(7);
    expect(stderr).toContain('the wallet holds $0.000499: send at least $0.000001 in USDC on Solana mainnet to ');
    expect(stderr).toContain(
      ' (in the sandbox: asset-gateway-client wallet fund), then call again; nothing was signed',
    );
  });
});

describe('the question before a payment', () => {
  const PLAY = "Pay $0.0005 in play money on the sandbox's Solana mainnet to ";

  it('says that it is play money in the sandbox, and no pays nothing', async () => {
    const [transfers, payments] = [fixture.transfers(), fixture.payments()];
    const { code, stderr } = await runAtTerminal(`balances ${WALLET}`, { answer: 'n' });
    expect([code, fixture.transfers() - transfers, fixture.payments() - payments]).toEqual([1, 0, 0]);
    expect(stderr).toContain(`${PLAY}${fixture.gateway.solana.payTo}? [y/N]`);
  });

  it('names the network in words, without play money if the RPC has no faucet', async () => {
    mainnet.faults.refuse = { sandbox_faucet: { code: -32_601, message: 'Method not found' } };
    const before = fixture.transfers();
    const { code, stderr } = await runAtTerminal(`balances ${WALLET} ${await ownWallet(500)}`, { answer: 'y' });
    expect([code, fixture.transfers() - before], stderr).toEqual([0, 1]);
    expect(stderr).toContain(`Pay $0.0005 in USDC on Solana mainnet to ${fixture.gateway.solana.payTo}? [y/N]`);
  });

  it('is preceded by no question if the wallet holds too little', async () => {
    const { code, stderr } = await runAtTerminal(`balances ${WALLET} ${await ownWallet(0)}`, { answer: 'y' });
    expect([code, stderr.includes('[y/N]')]).toEqual([7, false]);
  });

  it.each([
    ['play money', "in play money on the sandbox's Solana mainnet", undefined],
    ['USDC, if the RPC has no faucet,', 'in USDC on Solana mainnet', { code: -32_601, message: 'Method not found' }],
  ])('names %s in a quote too', async (_, money, faucet) => {
    mainnet.faults.refuse = faucet && { sandbox_faucet: faucet };
    const { stdout } = await runAtTerminal(`quote balances ${WALLET}`);
    expect(stdout).toContain(`$0.0005 ${money} to ${fixture.gateway.solana.payTo}\n`);
  });
});

it.each(['', ...COMMANDS.map(({ name }) => (name === '<path>' ? 'assets/x' : name))])(
  'no line of the help of "%s" has more than 80 columns',
  async (name) => {
    const { code, stdout } = await runAtTerminal(`${name} --help`.trim());
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => [...line].length > COLUMNS)).toEqual([]);
  },
);

describe('the change in a chart', () => {
  it('is the change in its period', async () => {
    const { stdout } = await runAtTerminal('chart solana --interval 1H');
    expect(stdout).toMatch(/^solana {2}1H {2}\$[\d.]+ {2}[+-][\d.]+% in 7 days\n/);
  });

  it.each([
    [60, '1 minute'],
    [5_400, '90 minutes'],
    [86_400, '24 hours'],
    [604_800, '7 days'],
  ])('over %i seconds is the change in %s', (seconds, text) => expect(period(seconds)).toBe(text));
});

describe('mcp at a terminal', () => {
  it('explains itself and how hosts start it, sends nothing and ends', async () => {
    const before = fixture.proxy.exchanges.length;
    const { code, stdout } = await runAtTerminal('mcp --budget-usd 0.05');
    expect([code, fixture.proxy.exchanges.length - before]).toEqual([0, 0]);
    expect(stdout).toMatch(/^This is an MCP server: an AI application starts it/);
    expect(stdout).toContain(`claude mcp add asset-gateway --env ASSET_GATEWAY_URL=${fixture.proxy.url}`);
    const [, forCode = ''] = /code --add-mcp \\\n {4}'(.*)'\n/.exec(stdout) ?? [];
    const [, forCursor = ''] = /\.json\):\n(\{[\s\S]*\n\})\n/.exec(stdout) ?? [];
    const { name, ...started } = JSON.parse(forCode);
    expect(JSON.parse(forCursor)).toEqual({ mcpServers: { [name]: started } });
    const env = { ASSET_GATEWAY_URL: fixture.proxy.url };
    expect(started).toEqual({ command: 'node', args: [process.argv[1], 'mcp'], env });
  });
});

describe('a long answer', () => {
  it('is cut at a terminal, is whole in a file, in a pipe and with --json', async () => {
    const home = fixture.newHome();
    const cut = await runAtTerminal('assets/solana', { home });
    const whole = fixture.proxy.exchanges.at(-1)?.body ?? '';
    const lines = JSON.stringify(JSON.parse(whole), undefined, 2).split('\n');
    const file = join(home, '.cache/asset-gateway/answer.json');
    expect(cut.stdout).toBe(`${lines.slice(0, 40).join('\n')}\n`);
    const more = `… ${lines.length - 40} more lines; --json or a pipe prints all of it, and it is in ${file}\n`;
    expect(cut.stderr).toContain(more);
    expect(readFileSync(file, 'utf8')).toBe(whole);
    expect((await runAtTerminal('assets/solana --json', { home })).stdout).toBe(whole);
    expect((await fixture.run('assets/solana', { home })).stdout).toBe(whole);
  });

  it('W25 of millions of nested lists that was paid for is cut too, and is whole in a file', async () => {
    const depth = 2_500_000;
    const body = `{"ok":true,"result":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const home = fixture.newHome();
    fixture.answerPayments({ status: 200, body });
    const cut = await runAtTerminal(`balances ${WALLET} --pay ${await ownWallet(1_000_000)}`, { home });
    expect([cut.code, cut.stdout.split('\n').length]).toEqual([0, 41]);
    expect(cut.stderr).toContain('… more; --json or a pipe prints all of it, and it is in ');
    expect(readFileSync(join(home, '.cache/asset-gateway/answer.json'), 'utf8') === body).toBe(true);
  });

  it('of up to 40 lines is not', async () => {
    const { stdout, stderr } = await runAtTerminal('assets/solana/profile');
    expect([stdout.split('\n').length < 42, stderr.includes('more lines')]).toEqual([true, false]);
  });

  it('of types is not printed at a terminal', async () => {
    const { code, stdout, stderr } = await runAtTerminal('types');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('add --output <file>, or pipe it')]);
    const file = join(fixture.folder, 'types.ts');
    expect((await runAtTerminal(`types --output ${file}`)).code).toBe(0);
    expect((await fixture.run('types')).stdout).toBe(readFileSync(file, 'utf8'));
  });
});
