import { base58Bytes } from '../addresses.ts';
import type { Bank, Landed } from '../bank.ts';
import { BLOCKHASH_LIFE } from '../blocks.ts';
import type { Json } from '../json.ts';
import { invalidParams, RpcError } from '../json-rpc.ts';
import {
  type ChainNode,
  confirmationOf,
  decimalsOn,
  isVisible,
  isVisibleAt,
  type Method,
  withContext,
} from '../node.ts';
import {
  addressAt,
  choiceOf,
  commitmentOf,
  configAt,
  integerOf,
  type Params,
  textAt,
  textOf,
  textsAt,
} from '../params.ts';
import { memoText, type TransactionEncoding, transactionJson } from '../transaction-json.ts';

const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1000;

function signatureIn(text: string): string {
  if (!base58Bytes(text, 64)) throw invalidParams('Invalid param: Invalid');
  return text;
}

function statusJson(entry: Landed, node: ChainNode): Json {
  const { err } = entry.outcome;
  const status = err === null ? { Ok: null } : { Err: err };
  const isYoung = node.faults.lie?.statusProcessed === true;
  const level = isYoung ? { confirmations: 0, confirmationStatus: 'processed' } : confirmationOf(entry, node);
  return { ...level, err, slot: entry.slot, status };
}

const invented = ({ bank }: ChainNode): Json => ({
  confirmations: 1,
  confirmationStatus: 'confirmed',
  err: null,
  slot: bank.blocks.slot('confirmed'),
  status: { Ok: null },
});

const getSignatureStatuses: Method = (params, node) => {
  const searchesHistory = configAt(params, 1).searchTransactionHistory === true;
  const { blocks } = node.bank;
  const value = textsAt(params, 0, MAX_STATUSES).map((text) => {
    const entry = node.bank.find(signatureIn(text));
    if (!entry && node.faults.lie?.statusConfirmed === true) return invented(node);
    const isRecent = entry !== undefined && blocks.confirmations(entry.slot) <= BLOCKHASH_LIFE;
    return entry && isVisible(entry, node) && (isRecent || searchesHistory) ? statusJson(entry, node) : null;
  });
  return withContext(node, 'processed', value);
};

const ENCODINGS = ['json', 'jsonParsed', 'base58', 'base64'] as const;

/** The requested encoding, and the newest version that the client supports. */
export function transactionFormat(params: Params, index: number) {
  const given = params[index];
  const config = typeof given === 'string' ? { encoding: given } : configAt(params, index);
  const encoding: TransactionEncoding = choiceOf(config, 'encoding', ENCODINGS) ?? 'json';
  const newest = integerOf(config, 'maxSupportedTransactionVersion', { min: 0, max: 255 });
  return { config, encoding, newest };
}

/** Refuses a version that the client does not support. */
export function checkVersion(version: 'legacy' | number, newest: number | undefined): void {
  if (version !== 'legacy' && (newest === undefined || version > newest)) {
    throw new RpcError(
      -32015,
      `Transaction version (${version}) is not supported by the requesting client. ` +
        `Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  }
}

const getTransaction: Method = (params, node) => {
  const { config, encoding, newest } = transactionFormat(params, 1);
  const commitment = commitmentOf(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  const entry = node.bank.find(signatureIn(textAt(params, 0)));
  if (!entry || !isVisibleAt(entry, node, commitment)) return null;
  checkVersion(entry.transaction.version, newest);
  return transactionJson(entry, encoding, decimalsOn(node.bank));
};

/** A row of getSignaturesForAddress. */
export function signatureRow(entry: Landed, node: ChainNode) {
  return {
    blockTime: Math.floor(entry.at / 1000),
    confirmationStatus: confirmationOf(entry, node).confirmationStatus,
    err: entry.outcome.err,
    memo: memoText(entry.transaction),
    signature: entry.transaction.signature,
    slot: entry.slot,
  };
}

/** The transactions of an address, newest first. */
export const historyOf = (address: string, { landed }: Bank): Landed[] =>
  landed.filter(({ transaction }) => transaction.keys.includes(address)).reverse();

/** The rows between `before` and `until`, at most `limit`. */
export function page<Row extends { readonly signature: string }>(rows: readonly Row[], params: Params): Row[] {
  const config = configAt(params, 1);
  const limit = integerOf(config, 'limit', { min: 1, max: MAX_SIGNATURES }) ?? MAX_SIGNATURES;
  const before = textOf(config, 'before');
  const until = textOf(config, 'until');
  const place = (signature: string) => rows.findIndex((row) => row.signature === signatureIn(signature));
  const from = before === undefined ? 0 : place(before) + 1;
  const to = until === undefined ? -1 : place(until);
  const isUnknown = before !== undefined && from === 0;
  return isUnknown ? [] : rows.slice(from, to === -1 ? undefined : to).slice(0, limit);
}

const getSignaturesForAddress: Method = (params, node) => {
  const address = addressAt(params, 0);
  const commitment = commitmentOf(configAt(params, 1));
  const entries = historyOf(address, node.bank).filter((entry) => isVisibleAt(entry, node, commitment));
  return page(
    entries.map((entry) => signatureRow(entry, node)),
    params,
  );
};

/** The methods about landed transactions. */
export const historyMethods: Readonly<Record<string, Method>> = {
  getSignatureStatuses,
  getTransaction,
  getSignaturesForAddress,
};
