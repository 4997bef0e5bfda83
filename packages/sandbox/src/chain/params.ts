import { isAddress } from './addresses.ts';
import type { Commitment } from './blocks.ts';
import { isList, isObject, type Json, type JsonObject } from './json.ts';
import { invalidParams } from './json-rpc.ts';

/** The positional parameters of a call. */
export type Params = readonly Json[];

const COMMITMENTS: readonly string[] = ['processed', 'confirmed', 'finalized'] satisfies Commitment[];

/** The text at a position. */
export function textAt(params: Params, index: number): string {
  const value = params[index];
  if (value === undefined) throw invalidParams(`\`params\` should have at least ${index + 1} argument(s)`);
  if (typeof value !== 'string') {
    throw invalidParams(`Invalid params: invalid type: ${typeof value}, expected a string.`);
  }
  return value;
}

/** A base58 address of 32 bytes. */
export function addressIn(value: Json | undefined): string {
  if (typeof value !== 'string' || !isAddress(value)) throw invalidParams('Invalid param: Invalid');
  return value;
}

/** The address at a position. */
export const addressAt = (params: Params, index: number): string => addressIn(textAt(params, index));

/** The texts of the list at a position, up to a limit. */
export function textsAt(params: Params, index: number, limit: number): string[] {
  const value = params[index];
  if (!isList(value)) throw invalidParams('Invalid params: invalid type, expected a sequence.');
  if (value.length > limit) throw invalidParams(`Too many inputs provided; max ${limit}`);
  return value.map((_, at) => textAt(value, at));
}

/** The configuration at a position; empty by default. */
export function configAt(params: Params, index: number): JsonObject {
  const value = params[index];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidParams('Invalid params: invalid type, expected a map.');
  return value;
}

/** The commitment of a configuration; default: finalized. */
export function commitmentOf(config: JsonObject, name = 'commitment'): Commitment {
  const value = config[name] ?? 'finalized';
  if (typeof value !== 'string' || !COMMITMENTS.includes(value)) {
    throw invalidParams('Invalid params: unknown variant, expected one of `processed`, `confirmed`, `finalized`.');
  }
  return value as Commitment;
}

/** An integer of a configuration, within bounds. */
export function integerOf(config: JsonObject, name: string, bounds: { min: number; max: number }): number | undefined {
  const value = config[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < bounds.min || value > bounds.max) {
    throw invalidParams(`Invalid ${name}; ${bounds.min} to ${bounds.max}`);
  }
  return value;
}

/** A text of a configuration. */
export function textOf(config: JsonObject, name: string): string | undefined {
  const value = config[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalidParams(`Invalid params: invalid type of ${name}, expected a string.`);
  return value;
}

/** One of several texts of a configuration. */
export function choiceOf<Choice extends string>(
  config: JsonObject,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = textOf(config, name);
  const choice = choices.find((each) => each === value);
  if (value !== undefined && choice === undefined) {
    throw invalidParams(`Invalid params: unknown variant \`${value}\`, expected one of ${choices.join(', ')}.`);
  }
  return choice;
}
