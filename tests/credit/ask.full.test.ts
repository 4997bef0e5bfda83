import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newKeypair, signerFromFile } from '@asset-gateway/client/node';
import { afterAll, describe, expect, it } from 'vitest';
import { runHere } from '../cli/in-process.ts';
import { node, type Outcome, runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { startGatewayRow } from '../kit/gateway-row.ts';
import type { SellingGateway } from '../kit/test-gateway.ts';
import { leaves, leavesNoTrace, ROOMY } from '../payments/calls.ts';
import { CREDIT } from './gateway.ts';

const BALANCE = 'solana/mainnet/helius/rpc/getBalance';
const BODY = JSON.stringify({ params: ['So11111111111111111111111111111111111111112'] });
/** Another request each time: one whose answer has just left may be answered by that one again. */
const bodyFor = (index: number): string =>
  JSON.stringify({ params: [`So1111111111111111111111111111111111111111${index + 2}`] });

const inOwnProcess: typeof runHere = (words, options) =>
  runCommand(node('packages/cli/bin/main.js', ...words), options);

/** Runs the command line as a user does, with its own state folder; some tests need its own process. */
const asking =
  (gateway: SellingGateway, state: string, run = runHere) =>
  (...words: string[]): Promise<Outcome> =>
    run(words, {
      env: { ASSET_GATEWAY_URL: gateway.url, XDG_STATE_HOME: state, HOME: folder, npm_lifecycle_event: 'ask' },
    });

const folder = makeFolder();
let states = 0;
const newState = (): string => join(folder, String(states++));
const walletIn = (state: string): string => join(state, 'asset-gateway', 'wallet.json');
const priced = ({ stdout }: Outcome): unknown => (JSON.parse(stdout) as { priceUsd?: string }).priceUsd;

/** Sells no credit. */
const without = await startGatewayRow(ROOMY);
const gateway = await startGatewayRow({ ...CREDIT, CREDIT_BUNDLE_USD: '0.001', CREDIT_BUNDLES_USD: '0.001' });
afterAll(async () => {
  for (const each of [gateway, without]) await each.stop().then(each.solana.close);
  rmSync(folder, { recursive: true, force: true });
});

describe('ask --credit', () => {
  it('buys a bundle with the first call, and the next two are charged to it with no transfer', async () => {
    const ask = asking(gateway, newState());
    const first = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => ask('--credit', BALANCE, bodyFor(0)));
    expect([first.code, priced(first)], first.stderr).toEqual([0, '0.000005']);
    expect(first.stderr).toContain("paying $0.001 in play money on the sandbox's Solana mainnet to ");
    expect(first.stderr).toContain(`transaction ${gateway.solana.mainnet.transfers.at(-1)?.signature}\n`);
    expect(first.stderr).toMatch(/^credit: \$0\.000995 left$/m);
    for (const [index, left] of ['0.00099', '0.000985'].entries()) {
      const next = await leaves(gateway, { transfers: 0, arrivals: 1 }, () =>
        ask('--credit', BALANCE, bodyFor(index + 1)),
      );
      expect([next.code, priced(next)], next.stderr).toEqual([0, '0.000005']);
      expect(next.stderr).not.toMatch(/paying|transaction/);
      expect(next.stderr).toContain(`credit: charged $0.000005, $${left} left\n`);
    }
  });

  it('keeps one wallet for all calls, in a private file', async () => {
    const state = newState();
    const ask = asking(gateway, state, inOwnProcess);
    const outcomes = await Promise.all([1, 2].map(() => ask('--credit', BALANCE, BODY)));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(statSync(walletIn(state)).mode & 0o777).toBe(0o600);
    const { address } = signerFromFile(walletIn(state));
    for (const { stderr } of outcomes) expect(stderr).toContain(`signed by ${address}\n`);
  });

  it('does not change or show a wallet file that it cannot read', async () => {
    const state = newState();
    mkdirSync(dirname(walletIn(state)), { recursive: true });
    writeFileSync(walletIn(state), 'not a keypair');
    const { code, stdout, stderr } = await leavesNoTrace(gateway, () =>
      asking(gateway, state)('--credit', BALANCE, BODY),
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      `your wallet in ${walletIn(state)} cannot be read, and no other is used; restore the file`,
    );
    expect(readFileSync(walletIn(state), 'utf8')).toBe('not a keypair');
  });

  it('pays from a keypair file through --rpc, and keeps no other wallet', async () => {
    const state = newState();
    const { mainnet } = gateway.solana;
    const file = join(folder, 'id.json');
    writeFileSync(file, JSON.stringify([...newKeypair()]));
    const { address } = signerFromFile(file);
    await mainnet.fundUsdc(address, 1000n);
    const words = ['--credit', '--keypair', file, '--rpc', mainnet.url, BALANCE, BODY];
    const outcome = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => asking(gateway, state)(...words));
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(mainnet.transfers.at(-1)?.from).toBe(address);
    expect(() => statSync(walletIn(state))).toThrow('ENOENT');
  });
});

describe('where no credit is sold, ask --credit', () => {
  it('pays for the one call', async () => {
    const ask = asking(without, newState());
    const outcome = await leaves(without, { transfers: 1, arrivals: 1 }, () => ask('--credit', BALANCE, BODY));
    expect([outcome.code, priced(outcome)], outcome.stderr).toEqual([0, '0.000005']);
    expect(outcome.stderr).not.toContain('credit:');
  });
});

describe('ask --pay', () => {
  const ask = (...words: string[]) => asking(without, newState())('--pay', ...words);

  it('names the amount, the chain and the transaction of its payment', async () => {
    const outcome = await leaves(without, { transfers: 1, arrivals: 1 }, () =>
      ask('solana/devnet/helius/rpc/getBalance', BODY),
    );
    const transfer = without.solana.devnet.transfers.at(-1);
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(outcome.stderr).toContain("paying $0.000005 in play money on the sandbox's Solana devnet to ");
    expect(outcome.stderr).toContain(`transaction ${transfer?.signature}`);
    expect(outcome.stderr).toContain(`signed by ${transfer?.from}`);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ ok: true, cluster: 'devnet', priceUsd: '0.000005' });
  });

  it('signs nothing for an input that breaks a rule', async () => {
    const outcome = await leavesNoTrace(without, () => ask(BALANCE, '{"params":[]}'));
    expect([outcome.code, outcome.stdout]).toEqual([4, '']);
    expect(outcome.stderr).toMatch(/^ask: params: .* Nothing was signed\.\n$/);
  });
});
