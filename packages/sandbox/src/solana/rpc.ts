import { accountJson, formatOf } from '../chain/account-json.ts';
import { TOKEN_PROGRAM } from '../chain/addresses.ts';
import type { Json } from '../chain/json.ts';
import { methodNotFound } from '../chain/json-rpc.ts';
import { type AccountFilter, filtersOf, meets, tokenSelection } from '../chain/methods/accounts.ts';
import { checkVersion, page, transactionFormat } from '../chain/methods/history.ts';
import { addressAt, configAt, type Params, textAt } from '../chain/params.ts';
import type { Account } from '../chain/svm.ts';
import { USDC_DECIMALS } from '../chain/token.ts';
import { transactionJson } from '../chain/transaction-json.ts';
import { addressFrom, bytesOf, holdingsOf, lamportsOf, simulatedAccount, tokensOf } from './catalogue.ts';
import { landedOf, type PastEvent, pastEventBySignature, pastOf } from './past.ts';
import { contextValue, isOnChain, type ProviderMethod, rowsOf, type World, withValue } from './world.ts';

const PROGRAM_ACCOUNTS = 12;
const PLAIN_SIZE = 165;
const MAX_SIMULATED_SIZE = 100_000;

const decimalsIn =
  ({ cluster }: World) =>
  (mint: string): number =>
    tokensOf(cluster).find((token) => token.mint === mint)?.decimals ?? USDC_DECIMALS;

const getAccountInfo: ProviderMethod = async (params, world) => {
  const answer = await world.chain.answer('getAccountInfo', params);
  const address = addressAt(params, 0);
  if (contextValue(answer) !== null || (await isOnChain(address, world))) return answer;
  const account = simulatedAccount(address, world.cluster);
  const format = formatOf(configAt(params, 1), decimalsIn(world));
  return withValue(answer, account ? accountJson(account, format) : null);
};

const getBalance: ProviderMethod = async (params, world) => {
  const answer = await world.chain.answer('getBalance', params);
  const address = addressAt(params, 0);
  const isReal = contextValue(answer) !== 0n || (await isOnChain(address, world));
  return isReal ? answer : withValue(answer, simulatedAccount(address, world.cluster)?.lamports ?? 0n);
};

const keyed = (accounts: readonly Account[], params: Params, index: number, world: World): Json[] => {
  const format = formatOf(configAt(params, index), decimalsIn(world));
  return accounts.map((account) => ({ account: accountJson(account, format), pubkey: account.address }));
};

const getTokenAccountsByOwner: ProviderMethod = async (params, world) => {
  const owner = addressAt(params, 0);
  const { mint, program } = tokenSelection(params);
  if (await isOnChain(owner, world)) return world.chain.answer('getTokenAccountsByOwner', params);
  const held = holdingsOf(owner, world.cluster)
    .filter(({ token }) => (mint === undefined ? program === TOKEN_PROGRAM : token.mint === mint))
    .map(({ account }) => account);
  const frame = await world.chain.answer('getTokenAccountsByOwner', [owner, { programId: TOKEN_PROGRAM }]);
  return withValue(frame, keyed(held, params, 2, world));
};

function simulatedData(name: string, filters: readonly AccountFilter[]): Uint8Array {
  const size = filters.find((filter) => 'size' in filter)?.size ?? PLAIN_SIZE;
  const noise = bytesOf(name);
  const data = Buffer.alloc(Math.min(size, MAX_SIMULATED_SIZE), noise);
  // Matches the filters; contradicting filters still find nothing.
  for (const filter of filters) {
    if ('bytes' in filter && filter.offset + filter.bytes.length <= data.length) data.set(filter.bytes, filter.offset);
  }
  return Uint8Array.from(data);
}

const getProgramAccounts: ProviderMethod = async (params, world) => {
  const program = addressAt(params, 0);
  const filters = filtersOf(configAt(params, 1));
  const answer = await world.chain.answer('getProgramAccounts', params);
  const real = rowsOf(configAt(params, 1).withContext === true ? contextValue(answer) : answer);
  if (real.length > 0) return answer;
  const accounts = Array.from({ length: PROGRAM_ACCOUNTS }, (_, index): Account => {
    const name = `${program}:account:${index}`;
    const data = simulatedData(name, filters);
    return { address: addressFrom(name), lamports: lamportsOf(name), data, owner: program, executable: false };
  });
  const met = keyed(
    accounts.filter(({ data }) => meets(data, filters)),
    params,
    1,
    world,
  );
  return Array.isArray(answer) ? met : withValue(answer, met);
};

const getTransaction: ProviderMethod = async (params, world) => {
  const answer = await world.chain.answer('getTransaction', params);
  const event = answer === null ? pastEventBySignature(textAt(params, 0), world.present) : undefined;
  if (!event) return answer;
  const { encoding, newest } = transactionFormat(params, 1);
  checkVersion(event.version, newest);
  return transactionJson(landedOf(event), encoding, decimalsIn(world));
};

/** A row of getSignaturesForAddress for a simulated transaction, which is always finalized. */
export const pastRow = ({ signature, slot, blockTime, failed }: PastEvent) => ({
  blockTime,
  confirmationStatus: 'finalized',
  err: failed ? { InstructionError: [0, { Custom: 1 }] } : null,
  memo: null,
  signature,
  slot,
});

const getSignaturesForAddress: ProviderMethod = async (params, world) => {
  const address = addressAt(params, 0);
  if (await isOnChain(address, world)) return world.chain.answer('getSignaturesForAddress', params);
  return page(pastOf(address, world.present).map(pastRow), params);
};

const SIMULATED: Readonly<Record<string, ProviderMethod>> = {
  getAccountInfo,
  getBalance,
  getTokenAccountsByOwner,
  getProgramAccounts,
  getTransaction,
  getSignaturesForAddress,
};

/** Answers a method from the chain, or with simulated data about unknown addresses. */
export function answerRpc(name: string, params: Params, world: World): Promise<Json> {
  if (name.startsWith('sandbox_')) throw methodNotFound();
  const method = Object.hasOwn(SIMULATED, name) ? SIMULATED[name] : undefined;
  return Promise.resolve(method ? method(params, world) : world.chain.answer(name, params));
}
