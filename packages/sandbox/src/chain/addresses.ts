import { MEMO_PROGRAM } from '@asset-gateway/protocol';

export { ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@asset-gateway/protocol';

/** The program that owns plain wallets. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** The mint of wrapped SOL. */
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
/** The memo programs: the current one, and the first one, which some wallets still call. */
export const MEMO_PROGRAMS = [MEMO_PROGRAM, 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'];
