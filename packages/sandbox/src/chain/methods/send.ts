import type { Members } from '@asset-gateway/protocol';
import { invalidParams, RpcError } from '../json-rpc.ts';
import { atSlot, type ChainNode, type Methods } from '../node.ts';
import { commitmentOf, configAt, type Params, textAt } from '../params.ts';
import type { Outcome } from '../svm.ts';
import { isSigned, readTransaction, type WireTransaction } from '../transaction.ts';

function transactionIn(params: Params, { encoding }: Members): WireTransaction {
  const text = textAt(params, 0);
  if (encoding !== 'base64') throw invalidParams('this node reads transactions in base64');
  return readTransaction(text);
}

const simulationJson = ({ err, logs, units }: Outcome) => ({
  accounts: null,
  err,
  innerInstructions: null,
  logs,
  replacementBlockhash: null,
  returnData: null,
  unitsConsumed: units,
});

function preflight(transaction: WireTransaction, config: Members, { bank, faults }: ChainNode): void {
  if (!isSigned(transaction)) throw new RpcError(-32003, 'Transaction signature verification failure');
  const outcome = bank.simulate(transaction, commitmentOf(config, 'preflightCommitment'));
  if (outcome.err === null || faults.lie?.simulateOk === true) return;
  const reason = JSON.stringify(outcome.err);
  throw new RpcError(-32002, `Transaction simulation failed: ${reason}`, simulationJson(outcome));
}

/** Methods that simulate and send transactions. */
export const sendMethods: Methods = {
  simulateTransaction: atSlot(1, (params, config, { bank, faults }) => {
    const commitment = commitmentOf(config);
    const outcome = bank.simulate(transactionIn(params, config), commitment);
    return simulationJson(faults.lie?.simulateOk === true ? { ...outcome, err: null } : outcome);
  }),
  sendTransaction(params, node) {
    const config = configAt(params, 1);
    const transaction = transactionIn(params, config);
    if (config.skipPreflight !== true) preflight(transaction, config, node);
    // Like a real node, returns the signature even if no block includes the transaction.
    if (node.faults.loseBroadcast !== true && isSigned(transaction)) node.bank.land(transaction);
    return transaction.signature;
  },
};
