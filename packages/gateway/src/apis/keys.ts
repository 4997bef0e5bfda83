import Type, { type Static } from 'typebox';

const ENV_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,99}$';

/** An object of the file, which has no other members. */
export const closed = <T extends Parameters<typeof Type.Object>[0]>(properties: T, description: string) =>
  Type.Object(properties, { additionalProperties: false, description });
export const optional = Type.Optional;

const variable = (description: string) => Type.String({ pattern: ENV_NAME, description });
const refused = optional(
  Type.Array(Type.Enum([401, 403], { type: 'integer' }), {
    minItems: 1,
    description: 'The statuses by which the API refuses the key; default: 401.',
  }),
);
const ofKey = {
  env: variable('The variable with the key, or several with commas.'),
  prefix: optional(
    Type.String({
      pattern: '^[\\x21-\\x7e][\\x20-\\x7e]{0,63}$',
      description: 'The text before the key, such as "Token ".',
    }),
  ),
  refused,
};
const BASIC = closed(
  { user: variable('The variable with the user.'), password: variable('The variable with the password.') },
  'Basic authentication.',
);
/** The key of an API, which each of its URLs may have too. */
export const KEY = Type.Union([
  closed({ header: Type.String({ pattern: '^[\\w-]{1,64}$' }), ...ofKey }, 'A key in a header.'),
  closed({ query: Type.String({ pattern: '^[\\w.-]{1,64}$' }), ...ofKey }, 'A key in the query.'),
  closed({ bearer: Type.Literal(true), ...ofKey }, 'A bearer token.'),
  closed({ basic: BASIC, refused }, 'A user and a password.'),
]);

export type KeyEntry = Static<typeof KEY>;

/** The variables of a key. */
export function variablesOf(key: KeyEntry | undefined): string[] {
  if (!key) return [];
  return 'basic' in key ? [key.basic.user, key.basic.password] : [key.env];
}

/** The header or query parameter of a key. */
export function keyNameOf(key: KeyEntry | undefined): string | undefined {
  if (!key) return undefined;
  if ('header' in key) return key.header;
  return 'query' in key ? key.query : 'Authorization';
}
