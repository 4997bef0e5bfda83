import bs58 from 'bs58';
import { accountJson, formatOf } from '../account-json.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import { invalidParams } from '../json-rpc.ts';
import { type ChainNode, decimalsOn, type Method, withContext } from '../node.ts';
import {
  addressAt,
  addressIn,
  choiceOf,
  commitmentOf,
  configAt,
  integerOf,
  type Params,
  textOf,
  textsAt,
} from '../params.ts';
import type { Account } from '../svm.ts';
import { readMint, readTokenAccount, tokenAmount } from '../token.ts';

/** A condition on the data of an account. */
export type AccountFilter = { readonly size: number } | { readonly offset: number; readonly bytes: Uint8Array };

const MAX_FILTERS = 4;
const MAX_MEMCMP_BYTES = 128;
const ANY_SIZE = { min: 0, max: Number.MAX_SAFE_INTEGER };

function readMemcmp(memcmp: JsonObject): AccountFilter {
  const text = textOf(memcmp, 'bytes');
  const encoding = choiceOf(memcmp, 'encoding', ['base58', 'base64']) ?? 'base58';
  if (text === undefined || text.length > 2 * MAX_MEMCMP_BYTES) {
    throw invalidParams('Invalid param: encoded binary (base 58) data should be less than 128 bytes');
  }
  const bytes = encoding === 'base58' ? bs58.decodeUnsafe(text) : Buffer.from(text, 'base64');
  if (bytes === undefined || bytes.length > MAX_MEMCMP_BYTES) {
    throw invalidParams('Invalid param: invalid memcmp bytes');
  }
  return { offset: integerOf(memcmp, 'offset', ANY_SIZE) ?? 0, bytes };
}

function readFilter(value: Json): AccountFilter {
  const filter = isObject(value) ? value : {};
  if (filter.memcmp !== undefined) return readMemcmp(configAt([filter.memcmp], 0));
  const size = integerOf(filter, 'dataSize', ANY_SIZE);
  if (size === undefined) throw invalidParams('Invalid params: unknown filter, expected `dataSize` or `memcmp`.');
  return { size };
}

/** Reads the filters of getProgramAccounts. */
export function filtersOf(config: JsonObject): AccountFilter[] {
  const value = config.filters ?? [];
  if (!isList(value)) throw invalidParams('Invalid params: invalid type, expected a sequence.');
  if (value.length > MAX_FILTERS) throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`);
  return value.map(readFilter);
}

/** Whether account data matches every filter. */
export function meets(data: Uint8Array, filters: readonly AccountFilter[]): boolean {
  return filters.every((filter) =>
    'size' in filter
      ? data.length === filter.size
      : Buffer.from(data.subarray(filter.offset, filter.offset + filter.bytes.length)).equals(filter.bytes),
  );
}

const MAX_ACCOUNTS = 100;

const getAccountInfo: Method = (params, node) => {
  const config = configAt(params, 1);
  const account = node.bank.svm.account(addressAt(params, 0));
  const format = formatOf(config, decimalsOn(node.bank));
  return withContext(node, commitmentOf(config), account ? accountJson(account, format) : null);
};

const getMultipleAccounts: Method = (params, node) => {
  const config = configAt(params, 1);
  const format = formatOf(config, decimalsOn(node.bank));
  const accounts = textsAt(params, 0, MAX_ACCOUNTS).map((text) => node.bank.svm.account(addressIn(text)));
  const value = accounts.map((account) => (account ? accountJson(account, format) : null));
  return withContext(node, commitmentOf(config), value);
};

const getBalance: Method = (params, node) => {
  const lamports = node.bank.svm.account(addressAt(params, 0))?.lamports ?? 0n;
  return withContext(node, commitmentOf(configAt(params, 1)), lamports);
};

const getTokenAccountBalance: Method = (params, node) => {
  const token = readTokenAccount(node.bank.svm.account(addressAt(params, 0)));
  if (!token) throw invalidParams('Invalid param: could not find account');
  const amount = tokenAmount(token.amount, decimalsOn(node.bank)(token.mint));
  return withContext(node, commitmentOf(configAt(params, 1)), amount);
};

const getTokenSupply: Method = (params, node) => {
  const mint = readMint(node.bank.svm.account(addressAt(params, 0)));
  if (!mint) throw invalidParams('Invalid param: could not find mint');
  return withContext(node, commitmentOf(configAt(params, 1)), tokenAmount(mint.supply, mint.decimals));
};

/** Selects a wallet's token accounts by mint or by program. */
export function tokenSelection(params: Params): { readonly mint?: string; readonly program?: string } {
  const selection = params[1];
  if (!isObject(selection) || (selection.mint === undefined) === (selection.programId === undefined)) {
    throw invalidParams('Invalid params: expected one of `mint`, `programId`.');
  }
  return selection.mint === undefined
    ? { program: addressIn(selection.programId) }
    : { mint: addressIn(selection.mint) };
}

function keyed(accounts: readonly Account[], params: Params, node: ChainNode): Json[] {
  const format = formatOf(configAt(params, params.length - 1), decimalsOn(node.bank));
  return accounts.map((account) => ({ pubkey: account.address, account: accountJson(account, format) }));
}

const getTokenAccountsByOwner: Method = (params, node) => {
  const owner = addressAt(params, 0);
  const { mint, program } = tokenSelection(params);
  if (mint !== undefined && !readMint(node.bank.svm.account(mint))) {
    throw invalidParams('Invalid param: could not find mint');
  }
  const programs = program === undefined ? [TOKEN_PROGRAM, TOKEN_2022_PROGRAM] : [program];
  const owned = programs
    .flatMap((each) => node.bank.svm.programAccounts(each))
    .filter((account) => {
      const token = readTokenAccount(account);
      return token?.owner === owner && (mint === undefined || token.mint === mint);
    });
  const config = configAt(params, 2);
  return withContext(node, commitmentOf(config), keyed(owned, [config], node));
};

const getProgramAccounts: Method = (params, node) => {
  const config = configAt(params, 1);
  const filters = filtersOf(config);
  const accounts = node.bank.svm.programAccounts(addressAt(params, 0)).filter(({ data }) => meets(data, filters));
  const value = keyed(accounts, [config], node);
  return config.withContext === true ? withContext(node, commitmentOf(config), value) : value;
};

const getMinimumBalanceForRentExemption: Method = (params, { bank }) => {
  const size = integerOf({ size: params[0] }, 'size', { min: 0, max: 10_485_760 });
  if (size === undefined) throw invalidParams('`params` should have at least 1 argument(s)');
  return bank.svm.rent(BigInt(size));
};

/** The methods that read accounts, always in their newest state. */
export const accountMethods: Readonly<Record<string, Method>> = {
  getAccountInfo,
  getMultipleAccounts,
  getBalance,
  getTokenAccountBalance,
  getTokenSupply,
  getTokenAccountsByOwner,
  getProgramAccounts,
  getMinimumBalanceForRentExemption,
};
