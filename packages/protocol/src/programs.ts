/** The addresses of Solana's programs. */
export const PROGRAMS = {
  /** The first token program, which USDC belongs to. */
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  /** Its addresses hold the tokens of wallets. */
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  /** Sets what a transaction may cost. */
  computeBudget: 'ComputeBudget111111111111111111111111111111',
  /** Its instructions carry a text. */
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
} as const;

/** The second token program, apart because clients do not need it. */
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
