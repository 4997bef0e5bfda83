import { rmSync } from 'node:fs';
import { newKeypair } from '@asset-gateway/client';
import { ConfigError, type Environment, readConfig, startGateway } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SandboxShop, startSandboxShop } from '../../packages/sandbox/src/shop.ts';
import { makeFolder } from '../kit/folder.ts';

let shop: SandboxShop;
let folder: string;
beforeAll(async () => {
  shop = await startSandboxShop({ key: 'CANARY_0123456789_provider_key' });
  folder = makeFolder();
});
afterAll(async () => {
  await shop.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startingWith(variables: Environment): Promise<void> {
  const config = readConfig({ PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', ...shop.variables, ...variables });
  const gateway = await startGateway(config, { graceMs: 0 });
  await gateway.stop();
}

const [one, other] = [newKeypair(), newKeypair()];
const mixed = Buffer.concat([one.subarray(0, 32), other.subarray(32)]);

describe('a start is refused with the name of the variable', () => {
  const keys: readonly (readonly [string, string])[] = [
    ['whose halves do not belong together', bs58.encode(mixed)],
    ['with a number beyond a byte', JSON.stringify([...one.subarray(0, 63), (one[63] ?? 0) + 256])],
    ['with a number below zero', JSON.stringify([...one.subarray(0, 63), (one[63] ?? 0) - 256])],
    ['with numbers as text', JSON.stringify([...one].map(String))],
    ['with fractions', JSON.stringify([...one].map((byte) => byte + 0.5))],
    ['that is a text of 64 digits', JSON.stringify('1'.repeat(64))],
  ];

  it.each(keys)('for a key %s', async (_, FEE_PAYER_KEYPAIR) => {
    const refusal = await startingWith({ FEE_PAYER_KEYPAIR }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toMatch(/FEE_PAYER_KEYPAIR must be/);
  });

  it('for a chain that cannot be read', async () => {
    const refusal = await startingWith({ SOLANA_DEVNET_RPC_URL: 'http://127.0.0.1:1' }).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toContain('SOLANA_DEVNET_RPC_URL');
  });
});
