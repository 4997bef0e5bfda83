import { TOKEN_2022_PROGRAM } from './addresses.ts';
import type { JsonObject } from './json.ts';
import { configAt, integerOf } from './params.ts';
import type { Account } from './svm.ts';
import { readTokenAccount, tokenAmount } from './token.ts';

/** The rent epoch of every rent-exempt account. */
const RENT_EPOCH = 18_446_744_073_709_551_615n;

function parsed(account: Account): JsonObject | undefined {
  const token = readTokenAccount(account);
  if (!token) return undefined;
  const { mint, owner, amount } = token;
  const info = { isNative: false, mint, owner, state: 'initialized', tokenAmount: tokenAmount(amount) };
  const program = account.owner === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  return { program, parsed: { info, type: 'account' }, space: account.data.length };
}

/** An account as RPC returns it: a token account parsed on request, and others in base64 regardless of the encoding. */
export function accountJson(account: Account, config: JsonObject): JsonObject {
  const slice = configAt([config.dataSlice ?? null], 0);
  const start = integerOf(slice, 'offset') ?? 0;
  const bytes = account.data.subarray(start, start + (integerOf(slice, 'length') ?? account.data.length));
  const understood = config.encoding === 'jsonParsed' ? parsed(account) : undefined;
  return {
    data: understood ?? [Buffer.from(bytes).toString('base64'), 'base64'],
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: RENT_EPOCH,
    space: account.data.length,
  };
}
