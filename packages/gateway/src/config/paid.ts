import { type Cluster, DEFAULT_PRICING, decodeBase58, microsOfUsd, type OwnPrice } from '@asset-gateway/protocol';
import { TIMES } from '../times.ts';
import { type ApisConfig, readLimit } from './apis.ts';
import { readKeypair } from './keypairs.ts';
import { MAX_LIMIT, parseUrl, type Reader } from './settings.ts';

const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];

type ClusterUrls = Readonly<Partial<Record<Cluster, string>>>;

/** A remote facilitator, or the fee payer's key pair for the in-process one. */
export type FacilitatorConfig =
  | { readonly kind: 'remote'; readonly url: string; readonly authorization: string | undefined }
  | { readonly kind: 'in-process'; readonly keypair: Uint8Array };

/** Settings of the paid routes. */
export interface PaidConfig {
  /** The wallet that receives payments. */
  readonly payTo: string;
  /** RPC and DAS upstreams. A URL may contain a key. */
  readonly rpcUrls: Readonly<Record<'alchemy' | 'helius', ClusterUrls>>;
  /** The upstream of the wallet routes; undefined if these are off. */
  readonly wallet: { readonly baseUrl: string; readonly key: string } | undefined;
  readonly facilitator: FacilitatorConfig;
  /** The clusters of the configured upstreams. */
  readonly offered: readonly Cluster[];
  /** The clusters whose payments the gateway can settle. It sells only their routes. */
  readonly sold: readonly Cluster[];
  /** RPCs that read the chain. With an in-process facilitator they also settle. */
  readonly solanaRpcUrls: ClusterUrls;
  readonly limitsPerSecond: Readonly<Record<'rpc' | 'das' | 'wallet', number>>;
  /** What is added to the price of a call that has its own settlement, in millionths of a dollar. */
  readonly settlementFeeMicros: number;
  /** The operator's prices, by row id. */
  readonly prices: ReadonlyMap<string, OwnPrice>;
  /** The price of one SOL in dollars, for notices about prices and fees at the start. */
  readonly solPriceUsd: number | undefined;
  /** The most lamports that the fee payer may spend in an hour. */
  readonly feeBudgetPerHour: number;
  readonly upstreamTimeoutMs: number;
}

/** Settings of paid routes. Undefined without a paid upstream; `unusable` if the reader has reported a fault. */
export type PaidReading = PaidConfig | 'unusable' | undefined;

/** Credit settings. Amounts are in millionths of a dollar. */
export interface CreditConfig {
  /** The maximal balance of a wallet on one network. */
  readonly limitMicros: number;
  /** The amount of the larger requirement in a 402. */
  readonly bundleMicros: number;
  /** The amounts of the routes that sell credit, ascending. */
  readonly bundlesMicros: readonly number[];
}

const ADDRESS_BYTES = 32;

function readUrl(read: Reader, name: string): string | undefined {
  const text = read.optional(name);
  if (text === undefined) return undefined;
  read.check(parseUrl(text) !== undefined, `${name} must be an http or https URL.`);
  return text;
}

function readClusterUrls(read: Reader, nameOf: (cluster: string) => string): ClusterUrls {
  const mainnet = readUrl(read, nameOf('MAINNET'));
  const devnet = readUrl(read, nameOf('DEVNET'));
  return { ...(mainnet && { mainnet }), ...(devnet && { devnet }) };
}

/** Returns the facilitator; `unusable` if a fault was reported. */
function readFacilitator(read: Reader): FacilitatorConfig | 'unusable' | undefined {
  const url = readUrl(read, 'FACILITATOR_URL');
  const keypairText = read.optional('FEE_PAYER_KEYPAIR');
  read.check(!url || !keypairText, 'FEE_PAYER_KEYPAIR cannot be combined with FACILITATOR_URL; unset one.');
  if (url) return { kind: 'remote', url, authorization: read.headerText('FACILITATOR_AUTHORIZATION') };
  if (keypairText === undefined) return undefined;
  const keypair = readKeypair(read, 'FEE_PAYER_KEYPAIR', keypairText);
  return keypair ? { kind: 'in-process', keypair } : 'unusable';
}

function readPayTo(read: Reader): string | undefined {
  const payTo = read.optional('PAY_TO_WALLET');
  const isAddress = payTo === undefined || decodeBase58(payTo, ADDRESS_BYTES) !== undefined;
  read.check(isAddress, 'PAY_TO_WALLET must be a Solana address.');
  return payTo;
}

function readSolPrice(read: Reader): number | undefined {
  const text = read.optional('SOL_PRICE_USD');
  if (text === undefined) return undefined;
  const price = /^\d{1,6}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  read.check(price > 0, 'SOL_PRICE_USD must be the price of one SOL in dollars, such as 150 or 142.50.');
  return price;
}

/**
 * Returns the fee that is added to a call with its own settlement. With a remote facilitator it is 0 by default, because only the operator
 * knows the facilitator's fees.
 */
function readSettlementFee(read: Reader): number {
  const usual = read.optional('FACILITATOR_URL') === undefined ? DEFAULT_PRICING.settlementFeeMicros : 0;
  return read.integer('SETTLEMENT_FEE_USD_MICROS', usual, [0, MAX_LIMIT]);
}

function readWallet(read: Reader): PaidConfig['wallet'] {
  const key = read.headerText('HELIUS_API_KEY');
  const baseUrl = readUrl(read, 'HELIUS_WALLET_API_BASE_URL') ?? 'https://api.helius.xyz';
  return key === undefined ? undefined : { baseUrl, key };
}

const SELLING = 'to sell (an RPC URL, HELIUS_API_KEY or a price in APIS_FILE is set)';

/** Reads the settings of paid routes. */
export function readPaid(read: Reader, { apis, surfaces: families }: ApisConfig): PaidReading {
  const alchemy = readClusterUrls(read, (cluster) => `ALCHEMY_${cluster}_RPC_URL`);
  const helius = readClusterUrls(read, (cluster) => `HELIUS_${cluster}_RPC_URL`);
  const wallet = readWallet(read);
  const payTo = readPayTo(read);
  const facilitator = readFacilitator(read);
  const settings = {
    solanaRpcUrls: readClusterUrls(read, (cluster) => `SOLANA_${cluster}_RPC_URL`),
    limitsPerSecond: {
      rpc: readLimit(read, 'rpc', ['RPC_RATE_LIMIT_PER_SECOND', 50], families),
      das: readLimit(read, 'das', ['DAS_RATE_LIMIT_PER_SECOND', 10], families),
      wallet: readLimit(read, 'wallet', ['WALLET_RATE_LIMIT_PER_SECOND', 10], families),
    },
    settlementFeeMicros: readSettlementFee(read),
    prices: new Map([...families.prices, ...apis.flatMap(({ prices }) => [...prices])]),
    solPriceUsd: readSolPrice(read),
    feeBudgetPerHour: read.integer('FEE_BUDGET_LAMPORTS_PER_HOUR', 50_000_000, [0, 9_999_999_999]),
    upstreamTimeoutMs: read.integer('PAID_UPSTREAM_TIMEOUT_MS', TIMES.usualUpstreamMs, [1, TIMES.longestUpstreamMs]),
  };
  const ofApis = apis.flatMap(({ rows }) => rows.flatMap(({ cluster }) => cluster ?? []));
  const offered = new Set([...Object.keys(alchemy), ...Object.keys(helius), ...(wallet ? ['mainnet'] : []), ...ofApis]);
  if (offered.size === 0) return undefined;
  read.check(payTo !== undefined, `PAY_TO_WALLET is required ${SELLING}; set the wallet that receives payments.`);
  const noFacilitator =
    `FEE_PAYER_KEYPAIR is required ${SELLING}; set a keypair file, such as solana-keygen new makes, whose SOL pays for ` +
    'settlements; or set FACILITATOR_URL to settle elsewhere.';
  read.check(facilitator !== undefined, noFacilitator);
  if (payTo === undefined || !facilitator || facilitator === 'unusable') return 'unusable';
  // RPC and DAS URLs may contain a key.
  const isSettled = (cluster: Cluster) => facilitator.kind === 'remote' || settings.solanaRpcUrls[cluster];
  return {
    payTo,
    rpcUrls: { alchemy, helius },
    wallet,
    facilitator,
    offered: CLUSTERS.filter((cluster) => offered.has(cluster)),
    sold: CLUSTERS.filter((cluster) => offered.has(cluster) && isSettled(cluster)),
    ...settings,
  };
}

const DOLLARS = /^\d{1,4}(?:\.\d{1,6})?$/;
const MOST_BUNDLES = 5;

function microsOf(text: string): number | undefined {
  const micros = DOLLARS.test(text) ? microsOfUsd(text) : 0;
  return micros > 0 ? micros : undefined;
}

function readDollars(read: Reader, name: string, fallback: string): number {
  const micros = microsOf(read.text(name, fallback));
  read.check(micros !== undefined, `${name} must be dollars above 0 with at most six decimals, such as ${fallback}.`);
  return micros ?? 0;
}

function readBundles(read: Reader, fallback: string): number[] {
  const texts = read.text('CREDIT_BUNDLES_USD', fallback).split(',', MOST_BUNDLES + 1);
  const all = texts.map((text) => microsOf(text.trim()) ?? 0).sort((one, other) => one - other);
  const isGood = all.length <= MOST_BUNDLES && all.every((micros) => micros > 0) && new Set(all).size === all.length;
  const wanted = `up to ${MOST_BUNDLES} different amounts in dollars, such as ${fallback}`;
  read.check(isGood, `CREDIT_BUNDLES_USD must be ${wanted}.`);
  return all;
}

/** Reads the credit settings; undefined if credit is off. */
export function readCredit(read: Reader, paid: PaidReading): CreditConfig | undefined {
  const isOn = read.choice('CREDIT', 'off', ['on', 'off']) === 'on';
  const credit = {
    limitMicros: readDollars(read, 'CREDIT_MAX_USD', '5'),
    bundleMicros: readDollars(read, 'CREDIT_BUNDLE_USD', '0.05'),
    bundlesMicros: readBundles(read, '0.05,0.25,1'),
  };
  if (!isOn) return undefined;
  read.check(paid !== undefined, 'CREDIT=on has nothing to sell: set an RPC URL or HELIUS_API_KEY, or CREDIT=off.');
  const largest = Math.max(credit.bundleMicros, ...credit.bundlesMicros);
  read.check(largest <= credit.limitMicros, 'CREDIT_MAX_USD must be at least the largest of the bundles.');
  return credit;
}
