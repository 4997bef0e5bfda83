import { rmSync } from 'node:fs';
import { newKeypair } from '@asset-gateway/client/node';
import { ConfigError, type Environment, readConfig, startGateway } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';

let solana: SolanaSandbox;
let folder: string;
beforeAll(async () => {
  solana = await startSolanaSandbox({ key: 'CANARY_0123456789_provider_key' });
  folder = makeFolder();
});
afterAll(async () => {
  await solana.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startingWith(variables: Environment): Promise<void> {
  const config = readConfig({ PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', ...solana.variables, ...variables });
  const gateway = await startGateway(config, { graceMs: 0 });
  await gateway.stop();
}

const [one, other] = [newKeypair(), newKeypair()];
const mixed = Buffer.concat([one.subarray(0, 32), other.subarray(32)]);

describe('a start is refused with the name of the variable', () => {
  const NO_NUMBERS = /FEE_PAYER_KEYPAIR is no JSON array of 64 numbers from 0 to 255/;
  const keys: readonly (readonly [string, string, RegExp])[] = [
    ['whose halves do not belong together', bs58.encode(mixed), /FEE_PAYER_KEYPAIR has halves that do not match/],
    ['with a number beyond a byte', JSON.stringify([...one.subarray(0, 63), (one[63] ?? 0) + 256]), NO_NUMBERS],
    ['with a number below zero', JSON.stringify([...one.subarray(0, 63), (one[63] ?? 0) - 256]), NO_NUMBERS],
    ['with numbers as text', JSON.stringify([...one].map(String)), NO_NUMBERS],
    ['with fractions', JSON.stringify([...one].map((byte) => byte + 0.5)), NO_NUMBERS],
    ['that is a text of 64 digits', JSON.stringify('1'.repeat(64)), /FEE_PAYER_KEYPAIR names no such file/],
  ];

  it.each(keys)('for a key %s', async (_, FEE_PAYER_KEYPAIR, fault) => {
    const refusal = await startingWith({ FEE_PAYER_KEYPAIR }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toMatch(fault);
  });

  it('for a chain that cannot be read', async () => {
    const refusal = await startingWith({ SOLANA_DEVNET_RPC_URL: 'http://127.0.0.1:1' }).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toContain('SOLANA_DEVNET_RPC_URL');
  });
});
