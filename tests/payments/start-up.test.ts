import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { ConfigError, type Environment, readConfig, type StartOptions, startGateway } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { afterAll, describe, expect, it } from 'vitest';
import { TOKEN_2022_PROGRAM } from '../../packages/sandbox/src/chain/addresses.ts';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';
import { paidRoutes } from './calls.ts';
import { addressOf } from './forge.ts';

const SOL = 1_000_000_000n;

const solana = await startSolanaSandbox({ key: 'CANARY_0123456789_provider_key' });
const folder = makeFolder();
afterAll(async () => {
  await solana.close();
  rmSync(folder, { recursive: true, force: true });
});

const chains = () => [solana.mainnet, solana.devnet];

/** The log and the routes of a start. */
async function start(variables: Environment, options: StartOptions = {}) {
  const log: string[] = [];
  const config = readConfig({ PORT: '0', DATA_DIR: folder, ...solana.variables, ...variables });
  const gateway = await startGateway(config, {
    ...options,
    graceMs: 0,
    logTo: { write: (line) => void log.push(line) },
  });
  const response = await fetch(`${gateway.url}/v1/catalog`);
  const { routes } = (await response.json()) as { routes: { path: string; cluster?: string; surface: string }[] };
  await gateway.stop();
  return { log: log.join(''), routes };
}

/** The faults of a refused start. */
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

  it.each([
    ['tokens, be it only an empty account', 'mainnet', undefined],
    ['tokens of the second token program', 'devnet', TOKEN_2022_PROGRAM],
  ] as const)('when the fee payer holds %s', async (_, cluster, program) => {
    const key = await fundedKey();
    await solana[cluster].createAta(addressOf(key), program);
    const faults = await faultsOf({ FEE_PAYER_KEYPAIR: bs58.encode(key) });
    expect(faults).toEqual([expect.stringMatching(/^FEE_PAYER_KEYPAIR holds tokens/)]);
    expect(faults[0]).toContain(`(${cluster}).`);
  });

  it('when the fee payer is the payee', async () => {
    const key = await fundedKey();
    const faults = await faultsOf({ FEE_PAYER_KEYPAIR: bs58.encode(key), PAY_TO_WALLET: addressOf(key) });
    expect(faults).toEqual(['PAY_TO_WALLET must not be the fee payer.']);
  });

  it('for two facilitators', async () => {
    const faults = await faultsOf({ FACILITATOR_URL: 'http://127.0.0.1:1' });
    expect(faults).toEqual([
      expect.stringMatching(/FEE_PAYER_KEYPAIR.*FACILITATOR_URL|FACILITATOR_URL.*FEE_PAYER_KEYPAIR/),
    ]);
  });

  it('for a chain that cannot be read', async () => {
    const faults = await faultsOf({ SOLANA_DEVNET_RPC_URL: 'http://127.0.0.1:1' });
    expect(faults.join()).toContain('SOLANA_DEVNET_RPC_URL');
  });
});

describe('a start', () => {
  it('reads its key from a file, sells all paid routes and logs no key', async () => {
    const key = await fundedKey();
    const file = join(folder, 'id.json');
    writeFileSync(file, JSON.stringify([...key]));
    const { log, routes } = await start({ FEE_PAYER_KEYPAIR: file });
    expect(routes).toHaveLength(paidRoutes.length);
    expect(log).not.toContain(bs58.encode(key));
  });

  it('sells nothing on a cluster without an RPC URL, and logs it', async () => {
    const { log, routes } = await start({ SOLANA_DEVNET_RPC_URL: '' });
    expect(routes.length).toBeGreaterThan(0);
    expect(routes.filter(({ cluster }) => cluster === 'devnet')).toEqual([]);
    expect(routes.filter(({ cluster }) => cluster === 'mainnet').length).toBeGreaterThan(0);
    expect(log).toContain('SOLANA_DEVNET_RPC_URL is not set: the paid routes of devnet are off');
  });

  it('does not mention a cluster without an upstream', async () => {
    const { log } = await start({
      ALCHEMY_DEVNET_RPC_URL: '',
      HELIUS_DEVNET_RPC_URL: '',
      SOLANA_DEVNET_RPC_URL: '',
    });
    expect(log).not.toContain('devnet');
  });

  it('warns in one sentence above which SOL prices sales lose money', async () => {
    const { log } = await start({ CREDIT: 'on' });
    expect(log).toContain(
      '"a settlement costs 10,001 lamports, so sales lose money while SOL is above $0.50 (rpc), $3.60 (das), ' +
        '$50.00 (wallet): raise PRICE_SURCHARGE_USD_MICROS, or set prices in APIS_FILE"',
    );
    expect(log.match(/settlement/g)).toHaveLength(1);
  });

  it('compares prices with the cost of a settlement in dollars, if SOL_PRICE_USD is set', async () => {
    const { log } = await start({ SOL_PRICE_USD: '142.50', CREDIT: 'on', CREDIT_BUNDLE_USD: '0.001' });
    expect(log).toContain(
      '"a settlement costs $0.001426 at $142.5 a SOL, more than the lowest prices, $0.000005 (rpc), $0.000036 (das), ' +
        '$0.0005 (wallet), $0.001 (a bundle of credit): raise PRICE_SURCHARGE_USD_MICROS, or set prices in APIS_FILE"',
    );
  });

  it.each<[string, Environment, StartOptions]>([
    ['prices cover a settlement at this price', { SOL_PRICE_USD: '142.50', PRICE_SURCHARGE_USD_MICROS: '1421' }, {}],
    ['they do until SOL is far above its market', { PRICE_SURCHARGE_USD_MICROS: '10001' }, {}],
    ['payments are play money', {}, { isPlayMoney: true }],
  ])('says nothing about prices if %s', async (_, variables, options) => {
    expect((await start(variables, options)).log).not.toContain('settlement');
  });
});
