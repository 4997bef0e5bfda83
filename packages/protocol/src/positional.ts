import type { Route } from './route.ts';

const ARTICLE = /^The /;

/** A positional parameter of a row: its name among the caller's, and its schema. */
export interface PositionalParameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * The parameters of a row whose body holds them by position, under the names that callers give them: what their descriptions call
 * them. Nothing for any other row.
 */
export function positionalParameters({ input }: Route): readonly PositionalParameter[] | undefined {
  const params = input.body?.properties.params as
    | { prefixItems?: readonly Readonly<Record<string, unknown>>[]; minItems?: number }
    | undefined;
  const minimum = params?.minItems ?? 0;
  return params?.prefixItems?.map((schema, at) => ({
    name: String(schema.description).replace(ARTICLE, '').replace('.', '').toLowerCase(),
    isRequired: at < minimum,
    schema,
  }));
}
