import bs58 from 'bs58';
import { isList, isObject, type Json, type JsonObject } from './json.ts';
import { choiceOf, configAt, integerOf, textOf } from './params.ts';
import { invalidParams } from './rpc-error.ts';

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
  if (filter.memcmp !== undefined) {
    return readMemcmp(configAt([filter.memcmp], 0));
  }
  const size = integerOf(filter, 'dataSize', ANY_SIZE);
  if (size === undefined) {
    throw invalidParams('Invalid params: unknown filter, expected `dataSize` or `memcmp`.');
  }
  return { size };
}

/** Reads the filters of getProgramAccounts. */
export function filtersOf(config: JsonObject): AccountFilter[] {
  const value = config.filters ?? [];
  if (!isList(value)) {
    throw invalidParams('Invalid params: invalid type, expected a sequence.');
  }
  if (value.length > MAX_FILTERS) {
    throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`);
  }
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
