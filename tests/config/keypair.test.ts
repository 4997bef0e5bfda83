import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { type Environment, readConfig } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { faultsOf, SOLD, WITH_FACILITATOR } from './faults.ts';

const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
  ['a name that happens to be base58', 'keypair', NO_FILE],
  ['a text with a zero byte', 'id\0.json', NO_FILE],
  ['a folder', folder, 'FEE_PAYER_KEYPAIR names a folder; name the keypair file in it.'],
  ['a file that is no JSON', fileWith(bs58.encode(key)), NO_NUMBERS],
  ['a file of something else', fileWith('{"key":1}'), NO_NUMBERS],
  ['numbers beyond a byte', json(key).replace(/\d+\]$/, '256]'), NO_NUMBERS],
  ['base58 of the secret half', bs58.encode(key.subarray(0, 32)), lengthFault(32)],
  ['one byte too many', json(Buffer.concat([key, key.subarray(0, 1)])), lengthFault(65)],
  ['halves of two keys in a file', fileWith(json(mixed)), NO_PAIR],
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
});

describe('a fault is named alone', () => {
  const causes: readonly (readonly [string, Environment, RegExp])[] = [
    ['a key that cannot be used', { ...SOLD, FEE_PAYER_KEYPAIR: 'x' }, /^FEE_PAYER_KEYPAIR /],
    ['an RPC that is no URL', { ...WITH_FACILITATOR, ALCHEMY_MAINNET_RPC_URL: 'x' }, /^ALCHEMY_MAINNET_RPC_URL /],
    ['a payee that is no address', { ...WITH_FACILITATOR, PAY_TO_WALLET: 'x' }, /^PAY_TO_WALLET must be/],
    ['no payee', { ...WITH_FACILITATOR, PAY_TO_WALLET: '' }, /^PAY_TO_WALLET is required/],
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
