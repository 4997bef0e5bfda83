import { newKeypair } from '@asset-gateway/client/node';
import { type Environment, readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { type Simulated, startScreen } from '../../packages/gateway/src/start-screen.ts';
import { WITH_FACILITATOR } from './faults.ts';

const KEYPAIR = JSON.stringify([...newKeypair()]);
const KEY = { TOKENS_API_KEY: 'k' };
const CHAINS = { mainnet: 'http://127.0.0.1:8403', devnet: 'http://127.0.0.1:8404' };
const CLONE = { npm_package_name: 'asset-gateway-workspace' };

/** The lines of a start with these variables. */
function screenOf(variables: Environment, simulated: Simulated = { hasTokens: false }, environment: Environment = {}) {
  const config = readConfig(variables);
  const metricsUrl = config.metrics && 'http://127.0.0.1:8409/metrics';
  const address = `${config.host}:${config.port}`;
  const url = config.baseUrl ?? `http://${address}`;
  const gateway = { url, address, ...(metricsUrl && { metricsUrl }) };
  return startScreen({ gateway, config, simulated, environment }).split('\n');
}

/** The text of each row by its label. */
const rowsOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line) => [line.slice(2, 30).trimEnd(), line.slice(30)]));

const commandsOf = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.startsWith('    ')).map((line) => line.trim());

describe('the screen of a start', () => {
  it('tells real, simulated and missing upstreams apart', () => {
    const alone = rowsOf(screenOf(KEY));
    expect(alone['Tokens API']).toBe('real');
    expect(alone['Solana, RPC, DAS, wallets']).toMatch(/^off; .*HELIUS_API_KEY/);
    const selling = rowsOf(screenOf(WITH_FACILITATOR));
    expect(selling['Tokens API']).toMatch(/^off; TOKENS_API_KEY/);
    expect(selling['Solana, RPC, DAS, wallets']).toBe('real, mainnet');
    const { FACILITATOR_URL: _, ...withoutChain } = { ...WITH_FACILITATOR, FEE_PAYER_KEYPAIR: KEYPAIR };
    expect(rowsOf(screenOf(withoutChain))['Solana, RPC, DAS, wallets']).toMatch(/^off; SOLANA_MAINNET_RPC_URL/);
    const sandbox = rowsOf(screenOf({ ...KEY, ...WITH_FACILITATOR }, { hasTokens: true, chains: CHAINS }));
    expect(sandbox['Tokens API']).toMatch(/^SANDBOX: /);
    expect(sandbox['Solana, RPC, DAS, wallets']).toMatch(/^SANDBOX: .*play money/);
    expect(sandbox.chains).toBe('ports 8403 mainnet, 8404 devnet');
  });

  it('says for each setting whether it is on, or which variable turns it on', () => {
    const names = { cache: 'RESPONSE_CACHE', credit: 'CREDIT', receipts: 'RECEIPTS', metrics: 'METRICS_PORT' };
    const off = rowsOf(screenOf({ ...KEY, ...WITH_FACILITATOR }));
    for (const [label, name] of Object.entries(names)) expect(off[label]).toMatch(new RegExp(`^off; ${name}=`));
    const settings = { RESPONSE_CACHE: 'on', CREDIT: 'on', RECEIPTS: 'on', METRICS_PORT: '8409' };
    expect(rowsOf(screenOf({ ...KEY, ...WITH_FACILITATOR, ...settings }))).toMatchObject({
      cache: 'on',
      credit: 'on, sold for $0.05, $0.25, $1.00',
      receipts: 'on',
      metrics: 'http://localhost:8409 (charts) and /metrics',
    });
    const pages = rowsOf(screenOf({ ...KEY, METRICS_PORT: '8409', CONSOLE: 'off' }));
    expect(pages.metrics).toBe('http://localhost:8409/metrics');
  });

  it('has three commands that fit how it was started', () => {
    const sandbox = { hasTokens: true, chains: CHAINS };
    const all = { ...KEY, ...WITH_FACILITATOR, CREDIT: 'on' };
    expect(commandsOf(screenOf(all, sandbox, CLONE))).toEqual([
      'npm run ask -- price solana',
      'npm run ask -- credit buy 0.05 --pay',
      'npm run ask -- routes',
    ]);
    expect(commandsOf(screenOf(KEY, undefined, CLONE)).at(-1)).toBe('npm run doctor -- http://localhost:8402');
    expect(commandsOf(screenOf(KEY))).toEqual([
      'npx asset-gateway-client price solana',
      'npx asset-gateway-client routes',
      'npx asset-gateway doctor http://localhost:8402',
    ]);
    expect(commandsOf(screenOf(WITH_FACILITATOR))).toHaveLength(3);
  });

  it('names the origin that clients use, beside the address that it listens on', () => {
    const lines = screenOf({ ...KEY, HOST: '0.0.0.0', GATEWAY_BASE_URL: 'https://gateway.example' });
    expect(lines[1]).toBe('  Asset gateway listening on http://0.0.0.0:8402');
    expect(rowsOf(lines)['address for clients']).toBe('https://gateway.example');
    expect(commandsOf(lines)[0]).toBe('export ASSET_GATEWAY_URL=https://gateway.example');
  });

  it.each<[string, Environment, Simulated]>([
    [
      'a sandbox',
      { ...KEY, ...WITH_FACILITATOR, CREDIT: 'on', METRICS_PORT: '1' },
      { hasTokens: true, chains: CHAINS },
    ],
    ['a real start', { ...KEY, ...WITH_FACILITATOR, PORT: '65535', METRICS_PORT: '1' }, { hasTokens: false }],
    ['a start without anything to sell', KEY, { hasTokens: false }],
  ])('of %s fits 24 lines of 80 columns', (_, variables, simulated) => {
    const lines = screenOf(variables, simulated);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});
