import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { type Environment, readConfig } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { writeDocument } from '../apis/document-files.ts';
import { makeFolder } from '../kit/folder.ts';
import { faultsOf, SOLD, WITH_FACILITATOR } from './faults.ts';

const folder = makeFolder();

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
    ['no payee', { ...WITH_FACILITATOR, PAY_TO_WALLET: '' }, /^PAY_TO_WALLET is required/],
    ['no facilitator', SOLD, /^FEE_PAYER_KEYPAIR is required .* or set FACILITATOR_URL/],
    ['a short secret', { TOKENS_API_KEY: 'k', GATEWAY_SECRET: 's' }, /^GATEWAY_SECRET .*`openssl rand -hex 32`/],
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

const KEY = { TOKENS_API_KEY: 'k', ...WITH_FACILITATOR };
const withFile = (file: unknown) => ({ ...KEY, APIS_FILE: writeDocument(file) });

describe('limits in APIS_FILE', () => {
  it('replace the defaults of their families only', () => {
    const file = { tokens: { requestsPerMinute: 7 }, rpc: { requestsPerSecond: 8 }, wallet: { requestsPerSecond: 9 } };
    const { tokens, paid } = readConfig(withFile(file));
    expect([tokens?.limitPerMinute, paid?.limitsPerSecond]).toEqual([7, { rpc: 8, das: 10, wallet: 9 }]);
  });

  it.each([
    ['tokens', 'requestsPerMinute', 'TOKENS_RATE_LIMIT_PER_MINUTE'],
    ['rpc', 'requestsPerSecond', 'RPC_RATE_LIMIT_PER_SECOND'],
    ['das', 'requestsPerSecond', 'DAS_RATE_LIMIT_PER_SECOND'],
    ['wallet', 'requestsPerSecond', 'WALLET_RATE_LIMIT_PER_SECOND'],
  ])('of %s are a fault beside its variable', (family, member, variable) => {
    const environment = withFile({ [family]: { [member]: 5 } });
    expect(faultsOf({ ...environment, [variable]: '5' })).toEqual([
      `APIS_FILE: the limit of ${family} is set here and in ${variable}; unset ${variable}.`,
    ]);
    expect(faultsOf({ ...environment, [variable]: ' ' })).toEqual([]);
  });

  it.each([0, 1.5, 1_000_001, '5', null])('%j is not a limit', (limit) => {
    expect(faultsOf(withFile({ rpc: { requestsPerSecond: limit } }))).toEqual([
      expect.stringMatching(/^APIS_FILE: rpc\.requestsPerSecond .+\.$/),
    ]);
  });
});

it.each([
  [{ tokens: { requestsPerSecond: 5 } }, 'tokens has no "requestsPerSecond"; the nearest is requestsPerMinute'],
  [{ rpc: { enable: false } }, 'rpc has no "enable"; the nearest is enabled'],
  [{ rcp: {} }, 'the file has no "rcp"; the nearest is rpc'],
  [{ das: { enabled: 'no' } }, 'das.enabled must be boolean'],
  [{ tokens: { operations: { serch: {} } } }, 'tokens.operations has no "serch"; the nearest is search'],
])('%j is a fault with its place', (file, sentence) => {
  expect(faultsOf(withFile(file))).toEqual([`APIS_FILE: ${sentence}.`]);
});

it('disabled asset data alone leave nothing to serve', () => {
  const APIS_FILE = writeDocument({ tokens: { enabled: false } });
  expect(faultsOf({ TOKENS_API_KEY: 'k', APIS_FILE })).toEqual([
    'Nothing to serve: APIS_FILE disables tokens, and nothing else is configured.',
  ]);
});

describe('a removed variable', () => {
  it.each([
    ['PRICES_FILE', '{"rpc": {"price": "0.0015", "operations": {"getBalance": {"price": "0.002"}}}}'],
    ['CACHE_FILE', '{"tokens": {"operations": {"search": {"cache": {"freshSeconds": 60, "maxStaleSeconds": 300}}}}}'],
  ])('%s is a fault with an example that the new file accepts', (name, example) => {
    const [fault, ...others] = faultsOf({ ...KEY, [name]: 'old.json' });
    expect([fault, others]).toEqual([expect.stringContaining(example), []]);
    expect(fault).toMatch(new RegExp(`^${name} was removed: .+\\.$`));
    expect(faultsOf(withFile(JSON.parse(example)))).toEqual([]);
    expect(faultsOf({ ...KEY, [name]: '' })).toEqual([]);
  });

  it.each(['PAYMENT_MEMO', 'PRICE_SURCHARGE_USD_MICROS'])('%s is a fault that names its replacement', (name) => {
    expect(faultsOf({ ...KEY, [name]: 'off' })).toEqual([expect.stringContaining(`${name} was removed: `)]);
    expect(faultsOf({ ...KEY, [name]: '' })).toEqual([]);
  });
});
