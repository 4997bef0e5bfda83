import { PROGRAMS, TOKEN_2022 } from '@asset-gateway/protocol';

/** The token programs. The first derives the addresses that hold a wallet's tokens. */
export const TOKEN_PROGRAM: string = PROGRAMS.token;
export const TOKEN_2022_PROGRAM: string = TOKEN_2022;
export const ASSOCIATED_TOKEN_PROGRAM: string = PROGRAMS.associatedToken;

/** The program that owns plain wallets. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** The mint of wrapped SOL. */
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
/** The memo programs: the current one, and the first, which some wallets still call. */
export const MEMO_PROGRAMS = [PROGRAMS.memo, 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'];
