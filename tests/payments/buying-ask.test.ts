import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import bs58 from 'bs58';
import { afterAll, describe, expect, it } from 'vitest';
import { startWarm } from '../cli/warm.ts';
import type { Outcome } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { startGatewayRow } from '../kit/gateway-row.ts';
import { leaves, leavesNoTrace, ROOMY } from './calls.ts';

const BALANCE = 'solana/mainnet/helius/rpc/getBalance';
const BODY = JSON.stringify({ params: ['So11111111111111111111111111111111111111112'] });

const folder = makeFolder();
const gateway = await startGatewayRow(ROOMY);
afterAll(async () => {
  await warm.close();
  await gateway.stop();
  await gateway.solana.close();
  rmSync(folder, { recursive: true, force: true });
});

const warm = startWarm();

/** Runs the command line as a user does; `tests/credit/ask.test.ts` pays in processes of its own. */
const ask = (...words: string[]): Promise<Outcome> =>
  warm.run(words, { env: { ASSET_GATEWAY_URL: gateway.url, HOME: folder } });

const printed = ({ stdout }: Outcome) => JSON.parse(stdout) as Record<string, unknown>;

describe('ask --pay', () => {
  it.each([
    ['mainnet', BALANCE, BODY, '0.000005'],
    ['devnet', 'solana/devnet/helius/rpc/getBalance', BODY, '0.000005'],
    ['mainnet', 'helius/wallet/balances/86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', undefined, '0.0005'],
  ] as const)('says what it paid on %s for %s, and by which transaction', async (cluster, path, body, price) => {
    const words = ['--pay', path, ...(body === undefined ? [] : [body])];
    const outcome = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => ask(...words));
    const transfer = gateway.solana[cluster].transfers.at(-1);
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(outcome.stderr).toContain(`paying $${price} on solana:`);
    expect(outcome.stderr).toContain(`transaction ${transfer?.signature}`);
    expect(outcome.stderr).toContain(`signed by ${transfer?.from}`);
    expect(printed(outcome)).toMatchObject({ ok: true, cluster, priceUsd: price });
  });

  it('pays from a keypair file through --rpc', async () => {
    const { mainnet } = gateway.solana;
    const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    const [seed, address] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
    const file = join(folder, 'id.json');
    writeFileSync(file, JSON.stringify([...seed, ...address]));
    await mainnet.fundUsdc(bs58.encode(address), 1000n);
    const words = ['--pay', '--keypair', file, '--rpc', mainnet.url, BALANCE, BODY];
    const outcome = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => ask(...words));
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(mainnet.transfers.at(-1)?.from).toBe(bs58.encode(address));
    const nowhere = await leavesNoTrace(gateway, () => ask('--pay', '--keypair', file, BALANCE, BODY));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('--rpc <url>')]);
  });

  it('pays nothing without being told to', async () => {
    const outcome = await leavesNoTrace(gateway, () => ask(BALANCE, BODY));
    expect(outcome.code).toBe(1);
    expect(printed(outcome)).toMatchObject({ ok: false, error: 'payment_required' });
  });

  it('signs nothing for an input that breaks a rule', async () => {
    const outcome = await leavesNoTrace(gateway, () => ask('--pay', BALANCE, '{"params":[]}'));
    expect([outcome.code, outcome.stdout]).toEqual([4, '']);
    expect(outcome.stderr).toMatch(/^asset-gateway-client: params: .* Nothing was signed\.\n$/);
  });
});
