import { accountJson } from '../account-json.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses.ts';
import { invalidParams } from '../json-rpc.ts';
import { type Method, withContext } from '../node.ts';
import { addressAt, addressIn, commitmentOf, configAt, textsAt } from '../params.ts';
import { readTokenAccount } from '../token.ts';

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
