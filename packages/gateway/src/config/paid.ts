import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import bs58 from 'bs58';
import { MAX_LIMIT, parseUrl, type Reader } from './settings.ts';

/** A cluster's name, as variables spell it in capitals. */
export type ClusterName = 'mainnet' | 'devnet';

/** What is sold, who is paid, and who settles. */
export interface PaidConfig {
  readonly payTo: string;
  /** RPC and DAS by provider and cluster: a URL that may hold a key. */
  readonly rpcUrls: { readonly alchemy: ClusterUrls; readonly helius: ClusterUrls };
  readonly wallet: { readonly baseUrl: string; readonly key: string } | undefined;
  readonly facilitator: FacilitatorConfig;
  /** What the chain is read and, in process, settled with. */
  readonly solanaRpcUrls: ClusterUrls;
  readonly limitsPerSecond: { readonly rpc: number; readonly das: number; readonly wallet: number };
  readonly useMemos: boolean;
  readonly surchargeMicros: number;
  readonly feeBudgetPerHour: number;
  readonly upstreamTimeoutMs: number;
}

/** A URL for each cluster that has one. */
export type ClusterUrls = Readonly<Partial<Record<ClusterName, string>>>;

/** Either a facilitator elsewhere, or the key pair to be one. */
export type FacilitatorConfig =
  | { readonly kind: 'remote'; readonly url: string; readonly authorization: string | undefined }
  | { readonly kind: 'in-process'; readonly keypair: Uint8Array };

const KEYPAIR_BYTES = 64;
const ADDRESS_BYTES = 32;
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

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

const isByte = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;

const bytesIn = (value: unknown): Uint8Array | undefined =>
  Array.isArray(value) && value.every(isByte) ? Uint8Array.from(value) : undefined;

/** Whether the second half is the public key of the first. */
function isPair(bytes: Uint8Array): boolean {
  const der = Buffer.concat([PKCS8_HEAD, bytes.subarray(0, ADDRESS_BYTES)]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').equals(bytes.subarray(ADDRESS_BYTES));
}

/** A Solana CLI keypair file, its JSON array itself, or base58 of its 64 bytes. */
function parseKeypair(text: string): Uint8Array | undefined {
  try {
    const json = () => JSON.parse(text.startsWith('[') ? text : readFileSync(text, 'utf8'));
    const bytes = bs58.decodeUnsafe(text) ?? bytesIn(json());
    return bytes?.length === KEYPAIR_BYTES && isPair(bytes) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function readFacilitator(read: Reader): FacilitatorConfig | undefined {
  const url = readUrl(read, 'FACILITATOR_URL');
  const keypairText = read.optional('FEE_PAYER_KEYPAIR');
  read.check(!url || !keypairText, 'FEE_PAYER_KEYPAIR and FACILITATOR_URL exclude each other; unset one.');
  if (url) return { kind: 'remote', url, authorization: read.optional('FACILITATOR_AUTHORIZATION') };
  if (keypairText === undefined) return undefined;
  const keypair = parseKeypair(keypairText);
  read.check(keypair !== undefined, 'FEE_PAYER_KEYPAIR must be a Solana CLI keypair file, or base58 of its 64 bytes.');
  return keypair && { kind: 'in-process', keypair };
}

function readPayTo(read: Reader): string | undefined {
  const payTo = read.optional('PAY_TO_WALLET');
  const isAddress = payTo === undefined || bs58.decodeUnsafe(payTo)?.length === ADDRESS_BYTES;
  read.check(isAddress, 'PAY_TO_WALLET must be a Solana address.');
  return payTo;
}

function readWallet(read: Reader): PaidConfig['wallet'] {
  const key = read.optional('HELIUS_API_KEY');
  const baseUrl = readUrl(read, 'HELIUS_WALLET_API_BASE_URL') ?? 'https://api.helius.xyz';
  return key === undefined ? undefined : { baseUrl, key };
}

/** Reads what paid routes need; nothing when no paid upstream is configured. */
export function readPaid(read: Reader): PaidConfig | undefined {
  const alchemy = readClusterUrls(read, (cluster) => `ALCHEMY_${cluster}_RPC_URL`);
  const helius = readClusterUrls(read, (cluster) => `HELIUS_${cluster}_RPC_URL`);
  const wallet = readWallet(read);
  const payTo = readPayTo(read);
  const facilitator = readFacilitator(read);
  const settings = {
    solanaRpcUrls: readClusterUrls(read, (cluster) => `SOLANA_${cluster}_RPC_URL`),
    limitsPerSecond: {
      rpc: read.integer('RPC_RATE_LIMIT_PER_SECOND', 50, [0, MAX_LIMIT]),
      das: read.integer('DAS_RATE_LIMIT_PER_SECOND', 10, [0, MAX_LIMIT]),
      wallet: read.integer('WALLET_RATE_LIMIT_PER_SECOND', 10, [0, MAX_LIMIT]),
    },
    useMemos: read.choice('PAYMENT_MEMO', 'on', ['on', 'off']) === 'on',
    surchargeMicros: read.integer('PRICE_SURCHARGE_USD_MICROS', 0, [0, MAX_LIMIT]),
    feeBudgetPerHour: read.integer('FEE_BUDGET_LAMPORTS_PER_HOUR', 50_000_000, [0, 9_999_999_999]),
    upstreamTimeoutMs: read.integer('PAID_UPSTREAM_TIMEOUT_MS', 15_000, [1, 60_000]),
  };
  const isOn = Object.keys(alchemy).length + Object.keys(helius).length > 0 || wallet !== undefined;
  if (!isOn) return undefined;
  read.check(
    payTo !== undefined,
    'PAY_TO_WALLET is required with an RPC URL or HELIUS_API_KEY: somebody must be paid.',
  );
  read.check(
    facilitator !== undefined,
    'FACILITATOR_URL or FEE_PAYER_KEYPAIR is required with an RPC URL or HELIUS_API_KEY: somebody must settle.',
  );
  if (payTo === undefined || !facilitator) return undefined;
  return { payTo, rpcUrls: { alchemy, helius }, wallet, facilitator, ...settings };
}
