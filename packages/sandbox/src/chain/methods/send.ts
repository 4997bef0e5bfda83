import type { Json, JsonObject } from '../json.ts';
import { invalidParams, RpcError } from '../json-rpc.ts';
import { type ChainNode, type Method, withContext } from '../node.ts';
import { commitmentOf, configAt, textAt } from '../params.ts';
import type { Outcome } from '../svm.ts';
import { isSigned, readTransaction, type WireTransaction } from '../transaction.ts';

function transactionIn(text: string, { encoding }: JsonObject): WireTransaction {
  if (encoding !== 'base64') throw invalidParams('this node reads transactions in base64');
  return readTransaction(text);
}

const simulationJson = ({ err, logs, units }: Outcome): JsonObject => ({
  accounts: null,
  err,
  innerInstructions: null,
  logs,
  replacementBlockhash: null,
  returnData: null,
  unitsConsumed: units,
});

const simulateTransaction: Method = (params, node) => {
  const config = configAt(params, 1);
  const commitment = commitmentOf(config);
  const simulated = node.bank.simulate(transactionIn(textAt(params, 0), config), commitment);
  const outcome = node.faults.lie?.simulateOk === true ? { ...simulated, err: null } : simulated;
  return withContext(node, commitment, simulationJson(outcome));
};

function preflight(transaction: WireTransaction, config: JsonObject, node: ChainNode): void {
  if (!isSigned(transaction)) throw new RpcError(-32003, 'Transaction signature verification failure');
  const outcome = node.bank.simulate(transaction, commitmentOf(config, 'preflightCommitment'));
  if (outcome.err !== null && node.faults.lie?.simulateOk !== true) {
    const reason = JSON.stringify(outcome.err);
    throw new RpcError(-32002, `Transaction simulation failed: ${reason}`, simulationJson(outcome));
  }
}

const sendTransaction: Method = (params, node): Json => {
  const config = configAt(params, 1);
  const transaction = transactionIn(textAt(params, 0), config);
  if (config.skipPreflight !== true) preflight(transaction, config, node);
  // Like the network, answers with the signature even if no block accepts the transaction.
  if (node.faults.loseBroadcast !== true && isSigned(transaction)) node.bank.land(transaction);
  return transaction.signature;
};

/** The methods that simulate and send transactions. */
export const sendMethods: Readonly<Record<string, Method>> = { simulateTransaction, sendTransaction };
