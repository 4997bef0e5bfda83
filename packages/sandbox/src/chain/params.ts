import { isAddress, isObject, type Members } from '@asset-gateway/protocol';
import type { Commitment } from './blocks.ts';
import { invalidParams } from './json-rpc.ts';

/** The positional parameters of a call. */
export type Params = readonly unknown[];

/** Returns the text at a position. */
export function textAt(params: Params, index: number): string {
  const value = params[index];
  if (typeof value !== 'string') throw invalidParams(`Invalid params: expected a string at position ${index}.`);
  return value;
}

/** Returns a base58 address of 32 bytes. */
export function addressIn(value: unknown): string {
  if (!isAddress(value)) throw invalidParams('Invalid param: Invalid');
  return value;
}

/** Returns the address at a position. */
export const addressAt = (params: Params, index: number): string => addressIn(textAt(params, index));

/** Returns the texts of the list at a position. */
export function textsAt(params: Params, index: number): string[] {
  const value = params[index];
  if (!Array.isArray(value)) throw invalidParams('Invalid params: invalid type, expected a sequence.');
  return value.map((_, at) => textAt(value, at));
}

/** Returns the configuration at a position; empty if missing. */
export function configAt(params: Params, index: number): Members {
  const value = params[index] ?? {};
  if (!isObject(value)) throw invalidParams('Invalid params: invalid type, expected a map.');
  return value;
}

/** Returns a configuration's commitment; default: finalized. */
export function commitmentOf(config: Members, name = 'commitment'): Commitment {
  const value = config[name] ?? 'finalized';
  if (value !== 'processed' && value !== 'confirmed' && value !== 'finalized') {
    throw invalidParams('Invalid params: unknown variant, expected one of `processed`, `confirmed`, `finalized`.');
  }
  return value;
}

/** Returns a whole number in a configuration, if any. */
export function integerOf(config: Members, name: string): number | undefined {
  const value = config[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw invalidParams(`Invalid ${name}`);
  return value;
}
