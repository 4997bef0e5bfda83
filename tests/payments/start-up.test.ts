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
import { addressOf } from './drafts.ts';

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
  const logTo = { write: (line: string) => void log.push(line) };
  const gateway = await startGateway(config, { ...options, graceMs: 0, logTo });
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

  it('for a chain that cannot be read, with the cause', async () => {
    const faults = await faultsOf({ SOLANA_DEVNET_RPC_URL: 'http://127.0.0.1:1' });
    expect(faults).toEqual([
      expect.stringMatching(/^SOLANA_DEVNET_RPC_URL does not answer \(.*ECONNREFUSED.*\); check/),
    ]);
  });

  it("for the other cluster's RPC", async () => {
    const faults = await faultsOf({ SOLANA_MAINNET_RPC_URL: solana.variables.SOLANA_DEVNET_RPC_URL });
    expect(faults).toEqual(['SOLANA_MAINNET_RPC_URL is an RPC of devnet; set one of mainnet.']);
  });

  it('for a token account as the payee, without the advice to send it USDC', async () => {
    const account = await solana.mainnet.createAta(addressOf(newKeypair()));
    const faults = await faultsOf({ PAY_TO_WALLET: account });
    expect(faults).toEqual([expect.stringMatching(/^PAY_TO_WALLET is a token account or a mint; .*\(mainnet\)\.$/)]);
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
    const { log } = await start({ ALCHEMY_DEVNET_RPC_URL: '', HELIUS_DEVNET_RPC_URL: '', SOLANA_DEVNET_RPC_URL: '' });
    expect(log).not.toContain('devnet');
  });

  it('says in one sentence that the lowest price does not cover a settlement', async () => {
    const { log } = await start({ SETTLEMENT_FEE_USD_MICROS: '0', CREDIT: 'on' });
    expect(log).toContain(
      '"a sale can lose money: the lowest price is $0.000005, and settling it costs $0.002501 at $250 a SOL; ' +
        'raise SETTLEMENT_FEE_USD_MICROS, the prices in APIS_FILE or the bundles of credit"',
    );
    expect(log.match(/settl/gi)).toHaveLength(2);
  });

  it.each<[string, Environment, string, string]>([
    ['the price of SOL that is set', { SOL_PRICE_USD: '400.50' }, '$0.004005', '$0.004006 at $400.5'],
    ['bundles on a paid route', { CREDIT: 'on', CREDIT_BUNDLE_USD: '0.0021' }, '$0.0021', '$0.002501'],
    ['credit alone', { CREDIT: 'on', CREDIT_BUNDLES_USD: '0.05,0.002' }, '$0.002', '$0.002501'],
  ])('judges %s', async (_, variables, price, cost) => {
    expect((await start(variables)).log).toContain(`is ${price}, and settling it costs ${cost}`);
  });

  it.each<[string, Environment, StartOptions]>([
    ['every price covers a settlement, as by default', { CREDIT: 'on' }, {}],
    ['prices cover it at the price of SOL that is set', { SOL_PRICE_USD: '400' }, {}],
    ['payments are play money', { SETTLEMENT_FEE_USD_MICROS: '0' }, { isPlayMoney: true }],
  ])('says nothing about prices if %s', async (_, variables, options) => {
    expect((await start(variables, options)).log).not.toContain('lose money');
  });

  it('is refused with the new name if the surcharge of earlier versions is set', () => {
    const old = { ...solana.variables, DATA_DIR: folder, PRICE_SURCHARGE_USD_MICROS: '600' };
    expect(() => readConfig(old)).toThrow(ConfigError);
    expect(() => readConfig(old)).toThrow(/PRICE_SURCHARGE_USD_MICROS was removed: set SETTLEMENT_FEE_USD_MICROS/);
  });
});
