import type { Members } from '@asset-gateway/protocol';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses.ts';
import { invalidParams } from '../json-rpc.ts';
import { atSlot, type Methods } from '../node.ts';
import { addressAt, addressIn, configAt, integerOf, textsAt } from '../params.ts';
import type { Account } from '../svm.ts';
import { readTokenAccount, tokenAmount } from '../token.ts';

/** The rent epoch of every rent-exempt account. */
const RENT_EPOCH = 18_446_744_073_709_551_615n;

function parsed(account: Account) {
  const token = readTokenAccount(account);
  if (!token) return undefined;
  const { mint, owner, amount } = token;
  const info = { isNative: false, mint, owner, state: 'initialized', tokenAmount: tokenAmount(amount) };
  const program = account.owner === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  return { program, parsed: { info, type: 'account' }, space: account.data.length };
}

/** Returns an account as RPC returns it. A token account is parsed on request. Others are in base64 for any encoding. */
function accountJson(account: Account | undefined, config: Members) {
  if (!account) return null;
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

/** Methods that read accounts, always in their newest state. */
export const accountMethods: Methods = {
  getAccountInfo: atSlot(1, (params, config, { bank }) => accountJson(bank.svm.account(addressAt(params, 0)), config)),
  getMultipleAccounts: atSlot(1, (params, config, { bank }) =>
    textsAt(params, 0).map((text) => accountJson(bank.svm.account(addressIn(text)), config)),
  ),
  getBalance: atSlot(1, (params, _, { bank }) => bank.svm.account(addressAt(params, 0))?.lamports ?? 0n),
  getTokenAccountsByOwner: atSlot(2, (params, config, { bank }) => {
    const owner = addressAt(params, 0);
    const { mint, programId } = configAt(params, 1);
    if ((mint === undefined) === (programId === undefined)) {
      throw invalidParams('Invalid params: expected one of `mint`, `programId`.');
    }
    const programs = programId === undefined ? [TOKEN_PROGRAM, TOKEN_2022_PROGRAM] : [programId];
    return programs
      .flatMap((program) => bank.svm.programAccounts(addressIn(program)))
      .filter((account) => {
        const token = readTokenAccount(account);
        return token?.owner === owner && (mint === undefined || token.mint === mint);
      })
      .map((account) => ({ pubkey: account.address, account: accountJson(account, config) }));
  }),
};
