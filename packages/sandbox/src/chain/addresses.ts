/** The program that owns plain wallets. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** The first token program, which USDC uses. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** The second token program. */
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
/** The program whose addresses hold the tokens of wallets. */
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
/** The mint of wrapped SOL. */
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
/** The memo programs: the current one, and the first one, which some wallets still call. */
export const MEMO_PROGRAMS = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
];
