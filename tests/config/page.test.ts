import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { readConfig } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { expect, it } from 'vitest';

type Config = ReturnType<typeof readConfig>;

/** Each variable's value in the configuration, as an operator would write it. */
const READ: Readonly<Record<string, (config: Config) => unknown>> = {
  PORT: ({ port }) => port,
  HOST: ({ host }) => host,
  SALES_KEEP_DAYS: ({ journalKeepMs }) => journalKeepMs / 86_400_000,
  SERVICE_NAME: ({ serviceName }) => serviceName,
  TOKENS_API_BASE_URL: ({ tokens }) => tokens?.baseUrl,
  TOKENS_RATE_LIMIT_PER_MINUTE: ({ tokens }) => tokens?.limitPerMinute,
  FAIR_SHARES: ({ fairShares }) => (fairShares ? 'on' : 'off'),
  UPSTREAM_TIMEOUT_MS: ({ upstreamTimeoutMs }) => upstreamTimeoutMs,
  SIWX_NONCE: ({ singleUse }) => (singleUse ? 'single-use' : 'until-expiry'),
  DATA_DIR: ({ dataDir }) => dataDir,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  RESPONSE_CACHE: ({ cache }) => (cache ? 'on' : 'off'),
  RECEIPTS: ({ receipts }) => (receipts ? 'on' : 'off'),
  CACHE_MAX_MIB: () => (readConfig({ ...MINIMAL, RESPONSE_CACHE: 'on' }).cache?.maxBytes ?? 0) / 1_048_576,
  METRICS_HOST: ({ metrics }) => metrics?.host,
  HELIUS_WALLET_API_BASE_URL: ({ paid }) => paid?.wallet?.baseUrl,
  RPC_RATE_LIMIT_PER_SECOND: ({ paid }) => paid?.limitsPerSecond.rpc,
  DAS_RATE_LIMIT_PER_SECOND: ({ paid }) => paid?.limitsPerSecond.das,
  WALLET_RATE_LIMIT_PER_SECOND: ({ paid }) => paid?.limitsPerSecond.wallet,
  SETTLEMENT_FEE_USD_MICROS: () => readConfig(SELF_SETTLING).paid?.settlementFeeMicros,
  CONSOLE: ({ console }) => (console ? 'on' : 'off'),
  CREDIT: ({ credit }) => (credit ? 'on' : 'off'),
  CREDIT_BUNDLE_USD: () => inDollars(withCredit().bundleMicros),
  CREDIT_BUNDLES_USD: () => withCredit().bundlesMicros.map(inDollars).join(','),
  CREDIT_MAX_USD: () => inDollars(withCredit().limitMicros),
  FEE_BUDGET_LAMPORTS_PER_HOUR: ({ paid }) => paid?.feeBudgetPerHour,
  PAID_UPSTREAM_TIMEOUT_MS: ({ paid }) => paid?.upstreamTimeoutMs,
  OTEL_EXPORTER_OTLP_PROTOCOL: ({ traces }) => traces?.protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: ({ traces }) => traces?.protocol,
  OTEL_EXPORTER_OTLP_TIMEOUT: ({ traces }) => traces?.timeoutMs,
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: ({ traces }) => traces?.timeoutMs,
  OTEL_TRACES_SAMPLER: ({ traces }) => traces?.sampler,
  OTEL_TRACES_SAMPLER_ARG: ({ traces }) => traces?.ratio,
  OTEL_SDK_DISABLED: ({ traces }) => traces === undefined,
  TRACE_UPSTREAMS: ({ traces }) => (traces?.reachesUpstreams ? 'on' : 'off'),
};

const inDollars = (micros: number): string => String(micros / 1_000_000);

function withCredit() {
  const { credit } = readConfig({ ...MINIMAL, CREDIT: 'on' });
  if (!credit) throw new Error('credit is off');
  return credit;
}

/** Variables whose default is a description or belongs to another program. */
const ELSEWHERE = [
  'GATEWAY_SECRET',
  'METRICS_PORT',
  'LOG_FORMAT',
  'ASSET_GATEWAY_URL',
  'ASSET_GATEWAY_MAX_USD_PER_CALL',
  'ASSET_GATEWAY_MAX_USD_PER_DAY',
];

/** No more than it takes to serve and to sell. */
const MINIMAL = {
  TOKENS_API_KEY: 'key',
  HELIUS_API_KEY: 'key',
  PAY_TO_WALLET: '1'.repeat(32),
  FACILITATOR_URL: 'https://facilitator.example',
  METRICS_PORT: '0',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
};

/** The same, settling by itself. */
const { FACILITATOR_URL: _, ...SELLING } = MINIMAL;
const SELF_SETTLING = { ...SELLING, FEE_PAYER_KEYPAIR: bs58.encode(newKeypair()) };

/** The variables that docs/configuration.md lists, with their defaults; empty if there is none. */
const documented = [
  ...readFileSync('docs/configuration.md', 'utf8').matchAll(/^- (`[A-Z][^(:]+?)(?: \((.*?)\))?: /gm),
].flatMap(([, names = '', defaults = '']) => {
  const values = defaults.split(', ');
  return [...names.matchAll(/`(\w+)`/g)].map(([, name = ''], index) => [name, values[index]?.trim() ?? ''] as const);
});

it('docs/configuration.md names every default', () => {
  const config = readConfig(MINIMAL);
  const read = Object.entries(READ).map(([name, valueIn]) => [name, String(valueIn(config))]);
  const named = documented.filter(([, value]) => value !== '');
  expect(named.map(([name]) => name)).toEqual(expect.arrayContaining(ELSEWHERE));
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries(named.filter(([name]) => !ELSEWHERE.includes(name))));
});

/** Suites that only read the configuration. */
const READING = /^config\/(?!effect)|^deploy\//;

it('each documented variable has a suite that shows its effect', () => {
  const suites = readdirSync('tests', { recursive: true }).map(String);
  const texts = suites
    .filter((path) => path.endsWith('.ts') && !READING.test(path))
    .map((path) => readFileSync(join('tests', path), 'utf8'));
  const isSet = (name: string) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  expect(documented.filter(([name]) => !isSet(name))).toEqual([]);
});
