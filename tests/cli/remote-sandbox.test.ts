import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { startGatewayRow } from '../kit/gateway-row.ts';
import { SOL, WALLET } from './fixture.ts';
import { runHere } from './in-process.ts';

/** The name leads to this machine, and the client cannot know that. */
const remote = (port: number): string => `http://0.0.0.0:${port}`;

const row = await startGatewayRow((port) => ({ CREDIT: 'on', GATEWAY_BASE_URL: remote(port) }));
const { solana } = row;
afterAll(() => solana.close());

/** A user without a wallet. */
function newUser() {
  const home = makeFolder();
  const state = join(home, '.local/state/asset-gateway');
  const env = { HOME: home, ASSET_GATEWAY_URL: remote(row.port), ASSET_GATEWAY_RPC_URL: '' };
  return { state, run: (typed: string) => runHere(typed.split(' '), { env }) };
}

it('W39 a temporary wallet, which holds no money, pays through the sandbox of another machine', async () => {
  const { code, stderr } = await newUser().run(`balances ${WALLET} --pay`);
  expect([code, solana.mainnet.transfers.length], stderr).toEqual([0, 1]);
});

it.each([`balances ${WALLET} --pay`, `balances ${WALLET} --credit`, 'credit buy 0.05 --pay'])(
  'W39 a stored wallet signs no payment through the RPC of a gateway on another machine: %s',
  async (typed) => {
    const { run, state } = newUser();
    await run('wallet new');
    const before = solana.mainnet.transfers.length;
    const { code, stderr } = await run(typed);
    expect([code, stderr]).toEqual([1, expect.stringContaining('add --rpc <url>\n')]);
    expect([solana.mainnet.transfers.length, readdirSync(state)]).toEqual([before, ['wallet.json']]);
  },
);

it('W39 --give-up frees no amount by the RPC of the gateway that did not answer the payment', async () => {
  const { run, state } = newUser();
  solana.provider.faults.status = 500;
  await run(`balances ${SOL} --pay`);
  solana.provider.faults.reset();
  solana.mainnet.advanceBlocks(200);
  await row.stop();
  const folder = join(state, 'payments');
  const [name = ''] = readdirSync(folder);
  const payment = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, name), JSON.stringify({ ...payment, at: payment.at - 120_000 }));
  const { stderr } = await run('resume --give-up --timeout 0.1');
  expect([readdirSync(folder), stderr]).toEqual([
    [name],
    expect.stringContaining('name a Solana RPC of your own: add --rpc <url>\n'),
  ]);
});
