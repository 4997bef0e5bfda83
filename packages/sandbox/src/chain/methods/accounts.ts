import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses.ts';
import type { JsonObject } from '../json.ts';
import { invalidParams } from '../json-rpc.ts';
import { type Method, withContext } from '../node.ts';
import { addressAt, addressIn, commitmentOf, configAt, integerOf, textsAt } from '../params.ts';
import type { Account } from '../svm.ts';
import { readTokenAccount, tokenAmount } from '../token.ts';

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
function accountJson(account: Account, config: JsonObject): JsonObject {
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

const getAccountInfo: Method = (params, node) => {
  const config = configAt(params, 1);
  const account = node.bank.svm.account(addressAt(params, 0));
  const value = account ? accountJson(account, config) : null;
  return withContext(node, commitmentOf(config), value);
};

const getMultipleAccounts: Method = (params, node) => {
  const config = configAt(params, 1);
  const accounts = textsAt(params, 0).map((text) => node.bank.svm.account(addressIn(text)));
  const value = accounts.map((account) => (account ? accountJson(account, config) : null));
  return withContext(node, commitmentOf(config), value);
};

const getBalance: Method = (params, node) => {
  const lamports = node.bank.svm.account(addressAt(params, 0))?.lamports ?? 0n;
  return withContext(node, commitmentOf(configAt(params, 1)), lamports);
};

const getTokenAccountsByOwner: Method = (params, node) => {
  const owner = addressAt(params, 0);
  const { mint, programId } = configAt(params, 1);
  if ((mint === undefined) === (programId === undefined)) {
    throw invalidParams('Invalid params: expected one of `mint`, `programId`.');
  }
  const programs = programId === undefined ? [TOKEN_PROGRAM, TOKEN_2022_PROGRAM] : [programId];
  const owned = programs
    .flatMap((program) => node.bank.svm.programAccounts(addressIn(program)))
    .filter((account) => {
      const token = readTokenAccount(account);
      return token?.owner === owner && (mint === undefined || token.mint === mint);
    });
  const config = configAt(params, 2);
  const value = owned.map((account) => ({
    pubkey: account.address,
    account: accountJson(account, config),
  }));
  return withContext(node, commitmentOf(config), value);
};

/** The methods that read accounts, always in their newest state. */
export const accountMethods: Readonly<Record<string, Method>> = {
  getAccountInfo,
  getMultipleAccounts,
  getBalance,
  getTokenAccountsByOwner,
};
