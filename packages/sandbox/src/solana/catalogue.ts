import { type Cluster, USDC_MINTS } from '../chain/addresses.ts';
import { addressFrom } from './seed.ts';

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
    mint: USDC_MINTS[cluster],
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
export const WHALE_LAMPORTS = 9_223_372_036_854_775_808n;
