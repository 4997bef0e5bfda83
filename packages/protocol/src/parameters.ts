import Type, { type TSchema } from 'typebox';
import { ADDRESS_PATTERN, ASSET_ID_PATTERN } from './patterns.ts';

/** Returns the schema of an enum of words. */
export const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Enum([...values] as T, { type: 'string', description });

/** Control characters and lone surrogates, as ranges, because some JSON Schema validators lack Unicode categories. */
const NO_TEXT = '\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff';

/** Returns the schema of a non-empty text without control characters. Its length is counted in Unicode code points. */
export const text = (description: string, maxLength = 200) =>
  Type.String({ minLength: 1, maxLength, pattern: `^[^${NO_TEXT}]{0,${maxLength}}$`, description });

/** Returns the schema of a Solana mint address or another name of an asset. The upstream decides whether the asset exists. */
export const mint = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: `^[^${NO_TEXT},]{0,200}$`, description });

/** Returns the schema of a base58 address of 32 bytes. */
export const address = (description: string) => Type.String({ pattern: ADDRESS_PATTERN.source, description });

/** Returns the schema of a whole number within bounds. */
export const integer = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

/** Returns the schema of a time in whole Unix seconds. */
export const unixSeconds = (description: string) => integer(0, Number.MAX_SAFE_INTEGER, `${description} Unix seconds.`);

interface ListBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Returns the schema of several values: comma-separated in a query, an array in a JSON body. */
export const list = <T extends TSchema>(items: T, description: string, bounds: ListBounds = {}) =>
  Type.Array(items, { ...bounds, description });

/**
 * Returns the schema of a canonical asset id or a singleton id `solana-<mint>` as a path segment. Names that fixed routes reserve are
 * excluded.
 */
export const assetId = (reserved: readonly string[] = []) =>
  Type.String({
    pattern: ASSET_ID_PATTERN.source,
    ...(reserved.length > 0 && { not: { enum: [...reserved] } }),
    description: 'Canonical asset id, or a singleton id of the form solana-<mint>.',
  });

export const optional = Type.Optional;
