import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { ConfigError, type Environment, readConfig, startGateway } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOKEN_2022_PROGRAM } from '../../packages/sandbox/src/chain/addresses.ts';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';
import { addressOf } from './forge-market.ts';

const SOL = 1_000_000_000n;

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

const chains = () => [solana.mainnet, solana.devnet];

/** What a start says: its log, and the routes that it then has. */
async function start(variables: Environment) {
  const log: string[] = [];
  const config = readConfig({ PORT: '0', DATA_DIR: folder, ...solana.variables, ...variables });
  const gateway = await startGateway(config, { graceMs: 0, logTo: { write: (line) => void log.push(line) } });
  const response = await fetch(`${gateway.url}/v1/catalog`);
  const { routes } = (await response.json()) as { routes: { path: string; cluster?: string; surface: string }[] };
  await gateway.stop();
  return { log: log.join(''), routes };
}

/** Why a start is refused. */
async function faultsOf(variables: Environment): Promise<readonly string[]> {
  const refusal: unknown = await start(variables).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refusal instanceof ConfigError)) throw new Error(`not refused, but ${String(refusal)}`);
  return refusal.faults;
}

async function fundedKey(lamports = SOL): Promise<Uint8Array> {
  const key = newKeypair();
  for (const chain of chains()) chain.airdrop(addressOf(key), lamports);
  return key;
}

describe('a start is refused', () => {
  it('when the payee has no USDC account, on whichever cluster', async () => {
    const payee = addressOf(newKeypair());
    await solana.mainnet.createAta(payee);
    const faults = await faultsOf({ PAY_TO_WALLET: payee });
    expect(faults).toEqual([expect.stringMatching(/^PAY_TO_WALLET has no USDC account.*\(devnet\)\.$/)]);
  });

  it('when the fee payer holds no SOL, or too little for a single fee', async () => {
    const empty = bs58.encode(newKeypair());
    const poor = bs58.encode(await fundedKey(10_000n));
    for (const FEE_PAYER_KEYPAIR of [empty, poor]) {
      expect(await faultsOf({ FEE_PAYER_KEYPAIR })).toEqual([expect.stringMatching(/^FEE_PAYER_KEYPAIR holds no SOL/)]);
    }
  });

  it('when the fee payer holds tokens, be it only an empty account', async () => {
    const key = await fundedKey();
    await solana.mainnet.createAta(addressOf(key));
    const faults = await faultsOf({ FEE_PAYER_KEYPAIR: bs58.encode(key) });
    expect(faults).toEqual([expect.stringMatching(/^FEE_PAYER_KEYPAIR holds tokens.*\(mainnet\)\.$/)]);
  });

  it('when the fee payer holds tokens of the second token program', async () => {
    const key = await fundedKey();
    await solana.devnet.createAta(addressOf(key), TOKEN_2022_PROGRAM);
    const faults = await faultsOf({ FEE_PAYER_KEYPAIR: bs58.encode(key) });
    expect(faults).toEqual([expect.stringMatching(/^FEE_PAYER_KEYPAIR holds tokens.*\(devnet\)\.$/)]);
  });

  it('for both reasons at once', async () => {
    const key = newKeypair();
    await solana.mainnet.createAta(addressOf(key));
    expect(await faultsOf({ FEE_PAYER_KEYPAIR: bs58.encode(key) })).toHaveLength(2);
  });

  it('when the fee payer is the payee', async () => {
    const key = await fundedKey();
    const faults = await faultsOf({ FEE_PAYER_KEYPAIR: bs58.encode(key), PAY_TO_WALLET: addressOf(key) });
    expect(faults).toEqual(['PAY_TO_WALLET must not be the fee payer.']);
  });

  const misread: readonly (readonly [string, Environment, RegExp])[] = [
    [
      'both facilitators',
      { FACILITATOR_URL: 'http://127.0.0.1:1' },
      /FEE_PAYER_KEYPAIR.*FACILITATOR_URL|FACILITATOR_URL.*FEE_PAYER_KEYPAIR/,
    ],
    ['no facilitator', { FEE_PAYER_KEYPAIR: '' }, /^FACILITATOR_URL or FEE_PAYER_KEYPAIR is required/],
    ['nobody to pay', { PAY_TO_WALLET: '' }, /^PAY_TO_WALLET is required/],
    ['a payee that is no address', { PAY_TO_WALLET: 'somebody' }, /^PAY_TO_WALLET must be a Solana address/],
    ['a payee of 31 bytes', { PAY_TO_WALLET: bs58.encode(Buffer.alloc(31, 9)) }, /^PAY_TO_WALLET must be/],
    ['a key of no file', { FEE_PAYER_KEYPAIR: '/nowhere/id.json' }, /^FEE_PAYER_KEYPAIR names no such file/],
    ['a key of 32 bytes', { FEE_PAYER_KEYPAIR: bs58.encode(Buffer.alloc(32, 9)) }, /^FEE_PAYER_KEYPAIR has 32 bytes/],
    [
      'a key of 63 numbers',
      { FEE_PAYER_KEYPAIR: JSON.stringify(Array(63).fill(1)) },
      /^FEE_PAYER_KEYPAIR has 63 bytes/,
    ],
    ['a key that is no JSON', { FEE_PAYER_KEYPAIR: '[1,2' }, /^FEE_PAYER_KEYPAIR is no JSON array/],
    ['an RPC that is no URL', { SOLANA_DEVNET_RPC_URL: 'devnet' }, /^SOLANA_DEVNET_RPC_URL must be/],
    ['a facilitator that is no URL', { FEE_PAYER_KEYPAIR: '', FACILITATOR_URL: 'x402' }, /^FACILITATOR_URL must be/],
    ['half a micro-dollar', { PRICE_SURCHARGE_USD_MICROS: '0.5' }, /^PRICE_SURCHARGE_USD_MICROS must be/],
    ['a memo that is neither on nor off', { PAYMENT_MEMO: 'maybe' }, /^PAYMENT_MEMO must be/],
  ];

  it.each(misread)('for %s', async (_, variables, fault) => {
    const faults = await faultsOf(variables);
    expect(faults).toContainEqual(expect.stringMatching(fault));
    const secret = variables.FEE_PAYER_KEYPAIR || 'nothing secret';
    expect(faults.join()).not.toContain(secret);
  });
});

describe('a start', () => {
  it('takes the key as a file, as the JSON of one and as base58', async () => {
    const key = await fundedKey();
    const json = JSON.stringify([...key]);
    const file = join(folder, 'id.json');
    writeFileSync(file, `${json}\n`);
    for (const FEE_PAYER_KEYPAIR of [file, json, bs58.encode(key)]) {
      expect(readConfig({ ...solana.variables, FEE_PAYER_KEYPAIR }).paid?.facilitator).toEqual({
        kind: 'in-process',
        keypair: Uint8Array.from(key),
      });
    }
    const { log, routes } = await start({ FEE_PAYER_KEYPAIR: file });
    expect(routes).toHaveLength(41);
    expect(log).not.toContain(bs58.encode(key));
  });

  it('sells nothing on a cluster whose chain it cannot read, and says so', async () => {
    const { log, routes } = await start({ SOLANA_DEVNET_RPC_URL: '' });
    expect(routes.length).toBeGreaterThan(0);
    expect(routes.filter(({ cluster }) => cluster === 'devnet')).toEqual([]);
    expect(routes.filter(({ cluster }) => cluster === 'mainnet').length).toBeGreaterThan(0);
    expect(log).toContain('SOLANA_DEVNET_RPC_URL is not set: the paid routes of devnet are off');
  });

  it('says what a surface earns, what settling costs, and up to which SOL price it pays', async () => {
    const { log } = await start({});
    for (const [price, limit] of [
      ['rpc: from $0.000005', '$0.50'],
      ['das: from $0.000036', '$3.60'],
      ['wallet: from $0.0005', '$50.00'],
    ])
      expect(log).toContain(`${price} an answer, settling costs 10,001 lamports or more: a loss above ${limit} a SOL"`);
  });

  it('says both in dollars, and what each sale loses, when it is told what a SOL costs', async () => {
    const { log } = await start({ SOL_PRICE_USD: '142.50' });
    expect(log).toContain(
      'rpc: from $0.000005 an answer, settling costs $0.001426 or more at $142.5 a SOL: ' +
        'each sale at that price loses $0.001421; raise PRICE_SURCHARGE_USD_MICROS, or set prices in PRICES_FILE"',
    );
    const { log: dear } = await start({ SOL_PRICE_USD: '142.50', PRICE_SURCHARGE_USD_MICROS: '1421' });
    expect(dear).not.toContain('loses');
    expect(dear).toContain(
      'rpc: from $0.001426 an answer, settling costs $0.001426 or more at $142.5 a SOL: each sale',
    );
    expect(dear).toContain('leaves $0.00 at the most"');
  });

  it('adds the surcharge to what it asks', async () => {
    const { log } = await start({ PRICE_SURCHARGE_USD_MICROS: '600' });
    expect(log).toContain('rpc: from $0.000605');
  });
});
