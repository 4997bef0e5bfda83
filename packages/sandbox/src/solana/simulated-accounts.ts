import {
  ASSOCIATED_TOKEN_PROGRAM,
  type Cluster,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../chain/addresses.ts';
import type { Account } from '../chain/svm.ts';
import { mintData, tokenAccountData } from '../chain/token.ts';
import { EXAMPLES, type Token, tokensOf, WHALE_LAMPORTS } from './catalogue.ts';
import { addressFrom, draw } from './seed.ts';

const RENT_OF_TOKEN_ACCOUNT = 2_039_280n;
const RENT_OF_MINT = 1_461_600n;
const PROGRAMS = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM]);

/** The balance of a simulated wallet. */
export function lamportsOf(address: string): bigint {
  if (address === EXAMPLES.absent) {
    return 0n;
  }
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
  if (token) {
    return mintAccount(token);
  }
  if (PROGRAMS.has(address)) {
    return programAccount(address);
  }
  const lamports = lamportsOf(address);
  return lamports === 0n
    ? undefined
    : { address, lamports, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };
}

/** A token balance of a simulated wallet. */
export interface Holding {
  readonly token: Token;
  readonly amount: bigint;
  readonly account: Account;
}

/** The token accounts of a simulated wallet. */
export function holdingsOf(owner: string, cluster: Cluster): Holding[] {
  if (owner === EXAMPLES.absent) {
    return [];
  }
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
