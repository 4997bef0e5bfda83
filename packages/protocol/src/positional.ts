import type { Route } from './route.ts';

const ARTICLE = /^The /;

/** A positional parameter of a row. */
export interface PositionalParameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The positional parameters of a row, named after their descriptions; undefined for other rows. */
export function positionalParameters({ input }: Pick<Route, 'input'>): readonly PositionalParameter[] | undefined {
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
