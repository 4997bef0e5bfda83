import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { ConfigError, type Environment, readConfig } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { compileGateway, endPrograms, startProgram } from '../process/program.ts';

const SOLD = { HELIUS_API_KEY: 'k', PAY_TO_WALLET: '1'.repeat(32) };
const NOBODY = 65_534;

const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The faults of a configuration; none when it is good. */
function faultsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

let files = 0;
function fileWith(text: string): string {
  const path = join(folder, `id-${files++}.json`);
  writeFileSync(path, text);
  return path;
}

const key = newKeypair();
const mixed = Buffer.concat([key.subarray(0, 32), newKeypair().subarray(32)]);
const json = (bytes: Uint8Array) => JSON.stringify([...bytes]);

const NO_FILE = 'FEE_PAYER_KEYPAIR is neither a file nor base58 of 64 bytes.';
const NO_NUMBERS = 'FEE_PAYER_KEYPAIR is not a JSON array of 64 numbers from 0 to 255, as the Solana CLI writes it.';
const NO_PAIR =
  'FEE_PAYER_KEYPAIR has halves that do not match: the last 32 bytes must be the public key of the first 32.';
const lengthFault = (bytes: number) => `FEE_PAYER_KEYPAIR has ${bytes} bytes instead of 64.`;

const CASES: readonly (readonly [string, string, string])[] = [
  ['a file that is not there', join(folder, 'none.json'), NO_FILE],
  ['a file below a file', join(fileWith('[]'), 'id.json'), NO_FILE],
  ['a name that happens to be base58', 'keypair', NO_FILE],
  ['a key with a slip in it', `${bs58.encode(key).slice(0, -1)}0`, NO_FILE],
  ['a key in base64', Buffer.from(key).toString('base64'), NO_FILE],
  ['a text with a zero byte', 'id\0.json', NO_FILE],
  ['a folder', folder, 'FEE_PAYER_KEYPAIR names a folder; name the keypair file in it.'],
  ['a file that is no JSON', fileWith(bs58.encode(key)), NO_NUMBERS],
  ['a file of something else', fileWith('{"key":1}'), NO_NUMBERS],
  ['an empty file', fileWith(''), NO_NUMBERS],
  ['numbers beyond a byte', json(key).replace(/\d+\]$/, '256]'), NO_NUMBERS],
  ['a file of the secret half', fileWith(json(key.subarray(0, 32))), lengthFault(32)],
  ['base58 of the secret half', bs58.encode(key.subarray(0, 32)), lengthFault(32)],
  ['one byte too many', json(Buffer.concat([key, key.subarray(0, 1)])), lengthFault(65)],
  ['halves of two keys in a file', fileWith(json(mixed)), NO_PAIR],
  ['halves of two keys in base58', bs58.encode(mixed), NO_PAIR],
];

describe('FEE_PAYER_KEYPAIR', () => {
  it.each(CASES)('%s is one fault with its own sentence, without the value', (_, text, fault) => {
    expect(faultsOf({ ...SOLD, FEE_PAYER_KEYPAIR: text })).toEqual([fault]);
  });

  it.each([
    ['a file', fileWith(`${json(key)}\n`)],
    ['the JSON of one', json(key)],
    ['base58', bs58.encode(key)],
  ])('as %s is taken', (_, text) => {
    const { paid } = readConfig({ ...SOLD, FEE_PAYER_KEYPAIR: text });
    expect(paid?.facilitator).toEqual({ kind: 'in-process', keypair: Uint8Array.from(key) });
  });

  describe.runIf(process.getuid?.() === 0)('in a file of another user', () => {
    beforeAll(compileGateway, 120_000);
    afterAll(endPrograms);

    it('that may not be read is a fault with its own sentence', async () => {
      const home = join(folder, 'home');
      mkdirSync(home, { mode: 0o700 });
      chmodSync(folder, 0o755);
      chownSync(home, NOBODY, NOBODY);
      const path = fileWith(json(key));
      chmodSync(path, 0o600);
      const variables = { ...SOLD, PORT: '0', DATA_DIR: home, FEE_PAYER_KEYPAIR: path };
      const program = startProgram(variables, { uid: NOBODY, gid: NOBODY });
      expect(await program.ended).toBe(1);
      expect(program.stderr()).toBe('asset-gateway: FEE_PAYER_KEYPAIR names a file that this user may not read.\n');
    });
  });
});

describe('a fault is named alone', () => {
  const FACILITATOR_URL = 'https://facilitator.example';
  const causes: readonly (readonly [string, Environment, RegExp])[] = [
    ['a key that cannot be used', { ...SOLD, FEE_PAYER_KEYPAIR: 'x' }, /^FEE_PAYER_KEYPAIR /],
    ['an RPC that is no URL', { ...SOLD, FACILITATOR_URL, ALCHEMY_MAINNET_RPC_URL: 'x' }, /^ALCHEMY_MAINNET_RPC_URL /],
    ['a payee that is no address', { ...SOLD, FACILITATOR_URL, PAY_TO_WALLET: 'x' }, /^PAY_TO_WALLET must be/],
    ['no payee', { ...SOLD, FACILITATOR_URL, PAY_TO_WALLET: '' }, /^PAY_TO_WALLET is required/],
    ['no facilitator', SOLD, /^FACILITATOR_URL or FEE_PAYER_KEYPAIR is required/],
    ['a facilitator that is no URL', { ...SOLD, FACILITATOR_URL: 'x' }, /^FACILITATOR_URL must be/],
  ];

  it.each(causes)('%s, when it is all that is wrong', (_, environment, fault) => {
    expect(faultsOf(environment)).toEqual([expect.stringMatching(fault)]);
  });

  it('together with unrelated faults', () => {
    const faults = faultsOf({ HELIUS_API_KEY: 'k', FEE_PAYER_KEYPAIR: 'x', PORT: 'x' });
    expect(faults.map((fault) => /^\w+/.exec(fault)?.[0])).toEqual(['FEE_PAYER_KEYPAIR', 'PAY_TO_WALLET', 'PORT']);
  });
});
