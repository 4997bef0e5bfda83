import { createHash } from 'node:crypto';
import { type Cluster, USDC } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../chain/addresses.ts';
import type { Account } from '../chain/svm.ts';
import { mintData, tokenAccountData } from '../chain/token.ts';

/** 64 bytes derived from a name. */
export const bytesOf = (name: string): Buffer => createHash('sha512').update(name).digest();

/** An integer in [0, bound) derived from a name. */
export const draw = (name: string, bound: number): number => bytesOf(name).readUInt32LE(0) % bound;

/** A base58 address derived from a name. */
export const addressFrom = (name: string): string => bs58.encode(bytesOf(name).subarray(0, 32));

/** A fungible token of simulated wallets. */
export interface Token {
  readonly mint: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly supply: bigint;
  readonly priceUsd: number;
}

/** The SOL price of the sandbox. */
export const SOL_USD = 151.4;
/** The mint that providers list SOL under. */
export const SOL_MINT = 'So11111111111111111111111111111111111111112';
/** The decimals of SOL. */
export const SOL_DECIMALS = 9;

/** The tokens of a cluster; a supply may exceed a double. */
export const tokensOf = (cluster: Cluster): readonly Token[] => [
  {
    mint: USDC[cluster],
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: 6,
    supply: 11_413_027_864_531_297n,
    priceUsd: 1,
  },
  {
    mint: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263',
    symbol: 'BONK',
    name: 'Bonk',
    decimals: 5,
    supply: 8_799_520_284_263_112_307n,
    priceUsd: 0.0000214,
  },
  {
    mint: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
    symbol: 'JUP',
    name: 'Jupiter',
    decimals: 6,
    supply: 6_863_982_907_111_230n,
    priceUsd: 0.4123,
  },
];

/** A wallet with a name in the wallet API. */
export interface Identity {
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly domainNames?: readonly string[];
}

/** The known wallets; others are a 404. */
export const IDENTITIES: readonly Identity[] = [
  {
    address: '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9',
    type: 'exchange',
    name: 'Binance 2',
    category: 'Centralized Exchange',
    tags: ['exchange', 'cex'],
  },
  {
    address: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
    type: 'program',
    name: 'Jupiter Aggregator v6',
    category: 'DeFi',
    tags: ['dex', 'aggregator'],
  },
  {
    address: '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY',
    type: 'person',
    name: 'toly',
    category: 'Key Opinion Leader',
    tags: ['founder'],
    domainNames: ['toly.sol'],
  },
];

/** Special addresses, the same on both clusters. */
export const EXAMPLES = {
  /** Holds 2^63 lamports, which a double rounds. */
  whale: addressFrom('whale'),
  /** Has no account, no history and no asset. */
  absent: addressFrom('absent'),
} as const;

/** The lamports of the whale. */
const WHALE_LAMPORTS = 9_223_372_036_854_775_808n;

const RENT_OF_TOKEN_ACCOUNT = 2_039_280n;
const RENT_OF_MINT = 1_461_600n;
const PROGRAMS = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM]);

/** The balance of a simulated wallet. */
export function lamportsOf(address: string): bigint {
  if (address === EXAMPLES.absent) return 0n;
  return address === EXAMPLES.whale ? WHALE_LAMPORTS : 890_880n + BigInt(draw(`${address}:sol`, 500_000)) * 1_000_003n;
}

const mintAccount = ({ mint, supply, decimals }: Token): Account => ({
  address: mint,
  lamports: RENT_OF_MINT,
  data: mintData({
    supply,
    decimals,
    authority: addressFrom(`${mint}:authority`),
    freeze: addressFrom(`${mint}:freeze`),
  }),
  owner: TOKEN_PROGRAM,
  executable: false,
});

const programAccount = (address: string): Account => ({
  address,
  lamports: 1_141_440n,
  data: Buffer.alloc(36, 2),
  owner: 'BPFLoaderUpgradeab1e11111111111111111111111',
  executable: true,
});

/** The simulated account of an address that is not on the chain: a token, a program or a wallet. */
export function simulatedAccount(address: string, cluster: Cluster): Account | undefined {
  const token = tokensOf(cluster).find(({ mint }) => mint === address);
  if (token) return mintAccount(token);
  if (PROGRAMS.has(address)) return programAccount(address);
  const lamports = lamportsOf(address);
  return lamports === 0n
    ? undefined
    : { address, lamports, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };
}

/** A token balance of a simulated wallet. */
interface Holding {
  readonly token: Token;
  readonly amount: bigint;
  readonly account: Account;
}

/** The token accounts of a simulated wallet. */
export function holdingsOf(owner: string, cluster: Cluster): Holding[] {
  if (owner === EXAMPLES.absent) return [];
  return tokensOf(cluster).map((token) => {
    const amount = BigInt(draw(`${owner}:${token.mint}`, 4_000_000_000)) * (token.decimals > 5 ? 1n : 1_000n);
    const account: Account = {
      address: addressFrom(`${owner}:${token.mint}:account`),
      lamports: RENT_OF_TOKEN_ACCOUNT,
      data: tokenAccountData({ mint: token.mint, owner, amount }),
      owner: TOKEN_PROGRAM,
      executable: false,
    };
    return { token, amount, account };
  });
}
