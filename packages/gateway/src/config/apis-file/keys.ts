import Type, { type Static } from 'typebox';

const ENV_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,99}$';

/** An object of the file, without further members. */
export const strictObject = <T extends Parameters<typeof Type.Object>[0]>(properties: T, description: string) =>
  Type.Object(properties, { additionalProperties: false, description });
export const optional = Type.Optional;

const variable = (description: string) => Type.String({ pattern: ENV_NAME, description });
const BASIC = strictObject(
  { user: variable('The variable with the user.'), password: variable('The variable with the password.') },
  'Basic authentication.',
);
const WAYS = ['header', 'query', 'bearer'];
/** The fault of a key with no way to send it, or with several. */
export const ONE_WAY = 'must have either header, query or bearer, and env, or basic alone';
/** The key of an API. Each of its URLs may have a key of its own. */
export const KEY = Type.Object(
  {
    header: optional(Type.String({ pattern: '^[\\w-]{1,64}$', description: 'The header of the key.' })),
    query: optional(Type.String({ pattern: '^[\\w.-]{1,64}$', description: 'The query parameter of the key.' })),
    bearer: optional(Type.Literal(true, { description: 'The key is a bearer token.' })),
    basic: optional(BASIC),
    env: optional(variable('The variable with the key, or several with commas.')),
    prefix: optional(
      Type.String({
        pattern: '^[\\x21-\\x7e][\\x20-\\x7e]{0,63}$',
        description: 'The text before the key, such as "Token ".',
      }),
    ),
    refused: optional(
      Type.Array(Type.Enum([401, 403], { type: 'integer' }), {
        minItems: 1,
        description: 'The statuses by which the API refuses the key; default: 401.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'A key in a header, in the query or as a bearer token, with its variable; or a user and a password.',
    oneOf: [...WAYS.map((way) => ({ required: [way, 'env'] })), { required: ['basic'], not: { required: ['env'] } }],
  },
);

type KeyEntry = Static<typeof KEY>;

/** Returns the environment variables that a key reads. */
export function variablesOf(key: KeyEntry | undefined): string[] {
  if (!key) return [];
  return key.basic ? [key.basic.user, key.basic.password] : [key.env ?? ''];
}

/** Returns the header or query parameter that carries the key, if any. */
export function keyNameOf(key: KeyEntry | undefined): string | undefined {
  return key && (key.header ?? key.query ?? 'Authorization');
}
