import { isObject, type Json, type JsonObject } from '../chain/json.ts';
import { invalidParams } from '../chain/json-rpc.ts';
import { addressAt, choiceOf, configAt, integerOf, textOf } from '../chain/params.ts';
import { pastOf } from './past.ts';
import { answerRpc, pastRow } from './rpc.ts';
import { isOnChain, type ProviderMethod, rowsOf, type World } from './world.ts';

interface Row extends JsonObject {
  readonly signature: string;
  readonly slot: bigint;
  readonly transactionIndex: number;
  readonly blockTime: number;
  readonly err: Json;
}

const KNOWN = [
  'transactionDetails',
  'sortOrder',
  'commitment',
  'minContextSlot',
  'limit',
  'paginationToken',
  'encoding',
  'maxSupportedTransactionVersion',
  'filters',
];
const KNOWN_FILTERS = ['slot', 'blockTime', 'signature', 'status', 'tokenAccounts'];
const MAX_SIGNATURES = 1000;
const MAX_FULL = 100;

function onlyKnown(config: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(config).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidParams(`Invalid params: unknown field \`${unknown}\``);
}

async function rowsAbout(address: string, world: World): Promise<Row[]> {
  if (await isOnChain(address, world)) {
    const rows = await world.chain.answer('getSignaturesForAddress', [address, { commitment: 'confirmed' }]);
    return rowsOf(rows).map((row, transactionIndex) => ({ ...(row as Row), transactionIndex }));
  }
  return pastOf(address, world.present).map((event) => ({
    ...pastRow(event),
    transactionIndex: event.transactionIndex,
  }));
}

type Bound = number | bigint | string;

// Numbers and bigints compare by value.
const COMPARE: Readonly<Record<string, (left: Bound, right: Bound) => boolean>> = {
  gte: (left, right) => left >= right,
  gt: (left, right) => left > right,
  lte: (left, right) => left <= right,
  lt: (left, right) => left < right,
  eq: (left, right) => BigInt(left) === BigInt(right),
};

function isWithin(value: Bound, range: Json | undefined, operators: readonly string[]): boolean {
  const bounds = isObject(range) ? range : {};
  onlyKnown(bounds, operators);
  return Object.entries(bounds).every(([operator, bound]) => {
    if (typeof bound !== 'number' && typeof bound !== 'bigint' && typeof bound !== 'string') {
      throw invalidParams(`Invalid params: invalid bound of \`${operator}\``);
    }
    return COMPARE[operator]?.(value, bound) ?? true;
  });
}

function filterOf(config: JsonObject): (row: Row) => boolean {
  const filters = config.filters === undefined ? {} : configAt([config.filters], 0);
  onlyKnown(filters, KNOWN_FILTERS);
  const status = choiceOf(filters, 'status', ['succeeded', 'failed', 'any']) ?? 'any';
  choiceOf(filters, 'tokenAccounts', ['none', 'balanceChanged', 'all']);
  const order = ['gte', 'gt', 'lte', 'lt'];
  return (row) =>
    isWithin(row.slot, filters.slot, order) &&
    isWithin(row.blockTime, filters.blockTime, [...order, 'eq']) &&
    isWithin(row.signature, filters.signature, order) &&
    (status === 'any' || (status === 'succeeded') === (row.err === null));
}

const tokenOf = ({ slot, transactionIndex }: Row): string => `${slot}:${transactionIndex}`;

function afterToken(rows: readonly Row[], token: string | undefined): readonly Row[] {
  if (token === undefined) return rows;
  if (!/^\d{1,20}:\d{1,10}$/.test(token)) throw invalidParams('Invalid paginationToken');
  const place = rows.findIndex((row) => tokenOf(row) === token);
  return place === -1 ? [] : rows.slice(place + 1);
}

async function fullRow(row: Row, config: JsonObject, world: World): Promise<Json> {
  const { encoding, maxSupportedTransactionVersion } = config;
  const wanted = { encoding, maxSupportedTransactionVersion, commitment: 'confirmed' };
  const found = await answerRpc('getTransaction', [row.signature, wanted], world);
  const { slot, transaction, meta, blockTime } = isObject(found) ? found : {};
  return { slot, transactionIndex: row.transactionIndex, transaction, meta, blockTime };
}

function limitOf(config: JsonObject, details: string): number {
  const max = details === 'full' ? MAX_FULL : MAX_SIGNATURES;
  return integerOf(config, 'limit', { min: 1, max }) ?? max;
}

/** A method of the provider: the transactions of an address, sorted, filtered and optionally complete. */
export const getTransactionsForAddress: ProviderMethod = async (params, world) => {
  const config = configAt(params, 1);
  onlyKnown(config, KNOWN);
  const details = choiceOf(config, 'transactionDetails', ['signatures', 'full']) ?? 'signatures';
  choiceOf(config, 'commitment', ['confirmed', 'finalized']);
  const limit = limitOf(config, details);
  const newestFirst = (await rowsAbout(addressAt(params, 0), world)).filter(filterOf(config));
  const isAscending = choiceOf(config, 'sortOrder', ['asc', 'desc']) === 'asc';
  const ordered = isAscending ? newestFirst.toReversed() : newestFirst;
  const left = afterToken(ordered, textOf(config, 'paginationToken'));
  const rows = left.slice(0, limit);
  const last = rows.at(-1);
  return {
    data: details === 'full' ? await Promise.all(rows.map((row) => fullRow(row, config, world))) : rows,
    paginationToken: last && left.length > limit ? tokenOf(last) : null,
  };
};
