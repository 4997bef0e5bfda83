/** Addresses of Solana programs. */
export const PROGRAMS = {
  /** The first token program, to which USDC belongs. */
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  /** Derives the addresses that hold a wallet's tokens. */
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  /** Limits what a transaction may cost. */
  computeBudget: 'ComputeBudget111111111111111111111111111111',
  /** Its instructions carry a text. */
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
} as const;

/** The first byte of instructions of the compute budget program and of the token program. */
export const INSTRUCTIONS = { setComputeLimit: 2, setComputePrice: 3, transferChecked: 12 } as const;

/** The second token program. It is separate because clients do not need it. */
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
