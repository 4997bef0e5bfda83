import bs58 from 'bs58';
import { accountJson, formatOf } from '../account-json.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { invalidParams, RpcError } from '../json-rpc.ts';
import { type ChainNode, decimalsOn, type Method, withContext } from '../node.ts';
import { addressIn, choiceOf, commitmentOf, configAt, textAt, textsAt } from '../params.ts';
import type { Outcome } from '../svm.ts';
import { isSigned, readTransaction, type WireTransaction } from '../transaction.ts';

const MAX_SIMULATED_ACCOUNTS = 64;
const SIGNATURE_FAILURE = 'Transaction signature verification failure';

const transactionIn = (text: string, config: JsonObject): WireTransaction =>
  readTransaction(text, choiceOf(config, 'encoding', ['base58', 'base64']) ?? 'base58');

function innerJson({ inner }: Outcome, { keys }: WireTransaction): Json {
  const outers = [...new Set(inner.map(({ outer }) => outer))];
  return outers.map((index) => ({
    index,
    instructions: inner
      .filter(({ outer }) => outer === index)
      .map(({ programIndex, accounts, data, depth }) => ({
        accounts: accounts.map((account) => keys[account] ?? ''),
        data: bs58.encode(data),
        programId: keys[programIndex] ?? '',
        stackHeight: depth,
      })),
  }));
}

function simulationJson(outcome: Outcome, accounts: Json = null, innerInstructions: Json = null): JsonObject {
  const { err, logs, units, returned } = outcome;
  const returnData = returned && {
    programId: returned.program,
    data: [Buffer.from(returned.data).toString('base64'), 'base64'],
  };
  return { accounts, err, innerInstructions, logs, replacementBlockhash: null, returnData, unitsConsumed: units };
}

function accountsAfter(outcome: Outcome, config: JsonObject, { bank }: ChainNode): Json {
  if (!isObject(config.accounts)) return null;
  const format = formatOf({ encoding: config.accounts.encoding ?? 'base64' }, decimalsOn(bank));
  return textsAt([config.accounts.addresses ?? null], 0, MAX_SIMULATED_ACCOUNTS).map((text) => {
    const address = addressIn(text);
    const account = outcome.after.find((each) => each.address === address) ?? bank.svm.account(address);
    return account && outcome.err === null ? accountJson(account, format) : null;
  });
}

const simulateTransaction: Method = (params, node) => {
  const { bank, faults } = node;
  const config = configAt(params, 1);
  const commitment = commitmentOf(config);
  const transaction = transactionIn(textAt(params, 0), config);
  const replace = config.replaceRecentBlockhash === true;
  if (config.sigVerify === true && replace) {
    throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
  }
  if (config.sigVerify === true && !isSigned(transaction)) throw new RpcError(-32003, SIGNATURE_FAILURE);
  const simulated = bank.simulate(transaction, commitment, replace);
  const outcome = faults.lie?.simulateOk === true ? { ...simulated, err: null } : simulated;
  const inner = config.innerInstructions === true ? innerJson(outcome, transaction) : null;
  const value = simulationJson(outcome, accountsAfter(outcome, config, node), inner);
  return withContext(
    node,
    commitment,
    replace ? { ...value, replacementBlockhash: { ...bank.blocks.latest(commitment) } } : value,
  );
};

const REASONS: Readonly<Record<string, string>> = {
  BlockhashNotFound: 'Blockhash not found',
  AlreadyProcessed: 'This transaction has already been processed',
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  InsufficientFundsForFee: 'Insufficient funds for fee',
};

function reasonOf(err: Json): string {
  if (typeof err === 'string') return REASONS[err] ?? err;
  const [index, kind] = isObject(err) && Array.isArray(err.InstructionError) ? err.InstructionError : [];
  const custom = isObject(kind) && typeof kind.Custom === 'number' ? kind.Custom.toString(16) : undefined;
  const detail = custom === undefined ? String(kind) : `custom program error: 0x${custom}`;
  return `Error processing Instruction ${index}: ${detail}`;
}

function preflight(transaction: WireTransaction, config: JsonObject, node: ChainNode): void {
  if (!isSigned(transaction)) throw new RpcError(-32003, SIGNATURE_FAILURE);
  const outcome = node.bank.simulate(transaction, commitmentOf(config, 'preflightCommitment'), false);
  if (outcome.err !== null && node.faults.lie?.simulateOk !== true) {
    const message = `Transaction simulation failed: ${reasonOf(outcome.err)}`;
    throw new RpcError(-32002, message, simulationJson(outcome));
  }
}

const sendTransaction: Method = (params, node) => {
  const config = configAt(params, 1);
  const transaction = transactionIn(textAt(params, 0), config);
  if (config.skipPreflight !== true) preflight(transaction, config, node);
  // Like the network, answers with the signature even if no block accepts the transaction.
  if (node.faults.loseBroadcast !== true && isSigned(transaction)) node.bank.land(transaction);
  return transaction.signature;
};

/** The methods that simulate and send transactions. */
export const sendMethods: Readonly<Record<string, Method>> = { simulateTransaction, sendTransaction };
