import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The suite that shows the effect of each documented variable. */
const SHOWN_IN: Readonly<Record<string, readonly string[]>> = {
  'blocked/sign-in': ['BLOCKED_FILE'],
  'budget/flood': ['TOKENS_RATE_LIMIT_PER_MINUTE'],
  'budget/shares-http': ['FAIR_SHARES'],
  'cache/memory': ['CACHE_MAX_MIB'],
  'cli/commands': [
    'ASSET_GATEWAY_KEYPAIR',
    'ASSET_GATEWAY_RPC_URL',
    'ASSET_GATEWAY_MAX_USD_PER_CALL',
    'ASSET_GATEWAY_MAX_USD_PER_DAY',
  ],
  'config/effect': ['DATA_DIR', 'LOG_FORMAT', 'LOG_LEVEL', 'TOKENS_API_BASE_URL', 'TOKENS_API_KEY'],
  'config/effect-cache': ['CACHE_FILE', 'RESPONSE_CACHE'],
  'config/effect-credit': ['CREDIT', 'CREDIT_BUNDLE_USD', 'CREDIT_BUNDLES_USD', 'CREDIT_MAX_USD'],
  'config/effect-paid': [
    'ALCHEMY_DEVNET_RPC_URL',
    'ALCHEMY_MAINNET_RPC_URL',
    'DAS_RATE_LIMIT_PER_SECOND',
    'HELIUS_API_KEY',
    'HELIUS_DEVNET_RPC_URL',
    'HELIUS_MAINNET_RPC_URL',
    'HELIUS_WALLET_API_BASE_URL',
    'RPC_RATE_LIMIT_PER_SECOND',
    'SOLANA_DEVNET_RPC_URL',
    'SOLANA_MAINNET_RPC_URL',
    'WALLET_RATE_LIMIT_PER_SECOND',
  ],
  'config/start-up': ['HOST', 'PORT'],
  'console/off': ['CONSOLE'],
  'credit/ask': ['ASSET_GATEWAY_URL'],
  'http/catalog': ['SERVICE_NAME'],
  'http/headers': ['TRUST_PROXY'],
  'http/hosts': ['GATEWAY_BASE_URL'],
  'operations/metrics': ['UPSTREAM_TIMEOUT_MS'],
  'operations/metrics-hosts': ['METRICS_HOST', 'METRICS_PORT'],
  'payments/attack-verification': ['PAYMENT_MEMO'],
  'payments/binding-requests': ['GATEWAY_SECRET'],
  'payments/buying-routes': ['PRICE_SURCHARGE_USD_MICROS'],
  'payments/fault-facilitator': ['FACILITATOR_AUTHORIZATION', 'FACILITATOR_URL'],
  'payments/fee-payer-cost': ['FEE_BUDGET_LAMPORTS_PER_HOUR'],
  'payments/payers': ['PAID_UPSTREAM_TIMEOUT_MS'],
  'payments/prices-file': ['PRICES_FILE'],
  'payments/start-up': ['FEE_PAYER_KEYPAIR', 'PAY_TO_WALLET', 'SOL_PRICE_USD'],
  'postgres/schema': ['DATABASE_URL'],
  'receipts/keys': ['RECEIPTS', 'RECEIPT_KEYPAIR'],
  'redis/down': ['REDIS_URL'],
  'sales/http': ['METRICS_TOKEN'],
  'sales/verify': ['SALES_KEEP_DAYS'],
  'signin/until-expiry': ['SIWX_NONCE'],
};

const pathOf = (name: string): string => `tests/${name}${name === 'payments/fault-facilitator' ? '' : '.test'}.ts`;

/** The variables in the first cells of the table in docs/configuration.md. */
function documented(): string[] {
  const rows = readFileSync('docs/configuration.md', 'utf8').match(/^\| `[^|]+\|/gm) ?? [];
  return rows.flatMap((row) => row.match(/[A-Z][A-Z_]+[A-Z]/g) ?? []);
}

it('each documented variable has a suite that shows its effect', () => {
  expect(Object.values(SHOWN_IN).flat().sort()).toEqual([...new Set(documented())].sort());
});

it.each(Object.entries(SHOWN_IN))('%s sets %s', (name, variables) => {
  const text = readFileSync(pathOf(name), 'utf8');
  expect(variables.filter((variable) => !new RegExp(`\\b${variable}\\b`).test(text))).toEqual([]);
});
