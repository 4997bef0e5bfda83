import bs58 from 'bs58';
import { TOKEN_2022_PROGRAM } from './addresses.ts';
import type { Json, JsonObject } from './json.ts';
import { invalidRequest } from './json-rpc.ts';
import { choiceOf, configAt, integerOf } from './params.ts';
import type { Account } from './svm.ts';
import { readMint, readTokenAccount, tokenAmount } from './token.ts';

/** The rent epoch of every rent-exempt account. */
export const RENT_EPOCH = 18_446_744_073_709_551_615n;
const MAX_BASE58_BYTES = 128;
const ENCODINGS = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const;

/** The requested format of account data. */
export interface AccountFormat {
  readonly encoding: (typeof ENCODINGS)[number];
  readonly slice: { readonly offset: number; readonly length: number } | undefined;
  /** The decimals of a mint, for amounts. */
  readonly decimals: (mint: string) => number;
}

/** Reads the encoding and the slice from a call's configuration. */
export function formatOf(config: JsonObject, decimals: (mint: string) => number): AccountFormat {
  const encoding = choiceOf(config, 'encoding', ENCODINGS) ?? 'binary';
  const bounds = { min: 0, max: Number.MAX_SAFE_INTEGER };
  const given = config.dataSlice ?? undefined;
  const slice = given === undefined ? undefined : configAt([given], 0);
  return {
    encoding,
    decimals,
    slice: slice && {
      offset: integerOf(slice, 'offset', bounds) ?? 0,
      length: integerOf(slice, 'length', bounds) ?? 0,
    },
  };
}

function parsed(account: Account, decimals: (mint: string) => number): JsonObject | undefined {
  const token = readTokenAccount(account);
  const mint = token ? undefined : readMint(account);
  if (!token && !mint) return undefined;
  const info: Json = token
    ? {
        isNative: false,
        mint: token.mint,
        owner: token.owner,
        state: 'initialized',
        tokenAmount: tokenAmount(token.amount, decimals(token.mint)),
      }
    : {
        decimals: mint?.decimals,
        freezeAuthority: mint?.freeze,
        isInitialized: true,
        mintAuthority: mint?.authority,
        supply: mint?.supply.toString(),
      };
  const program = account.owner === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  return { program, parsed: { info, type: token ? 'account' : 'mint' }, space: account.data.length };
}

function base58Data(data: Uint8Array): string {
  if (data.length > MAX_BASE58_BYTES) {
    throw invalidRequest('Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.');
  }
  return bs58.encode(data);
}

function dataJson(account: Account, { encoding, slice, decimals }: AccountFormat): Json {
  const data = slice ? account.data.subarray(slice.offset, slice.offset + slice.length) : account.data;
  if (encoding === 'binary') {
    return data.length > MAX_BASE58_BYTES ? 'error: data too large for bs58 encoding' : bs58.encode(data);
  }
  if (encoding === 'base58') return [base58Data(data), 'base58'];
  if (encoding === 'base64+zstd') throw invalidRequest('this node does not compress account data');
  const understood = encoding === 'jsonParsed' ? parsed(account, decimals) : undefined;
  return understood ?? [Buffer.from(data).toString('base64'), 'base64'];
}

/** An account as RPC returns it. */
export function accountJson(account: Account, format: AccountFormat): JsonObject {
  return {
    data: dataJson(account, format),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: RENT_EPOCH,
    space: account.data.length,
  };
}
