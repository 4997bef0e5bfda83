import Type, { type Static } from 'typebox';

/** The longest price. It suffices for a billion dollars with 18 decimals. */
export const MAX_PRICE_LENGTH = 40;

const text = Type.String({ minLength: 1 });
const object = Type.Object({});

/** The members that every catalog entry must have. */
const ENTRY = Type.Object({
  path: Type.String({ pattern: '^/' }),
  httpMethod: Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  provider: text,
  surface: text,
  method: text,
  description: text,
  accessMode: Type.Enum(['siwx', 'exact']),
  paymentRequired: Type.Boolean(),
  priceUsd: Type.String({ pattern: '^[0-9]+\\.[0-9]{2,}$', maxLength: MAX_PRICE_LENGTH }),
  /** Present if overpayment becomes credit. Then the first requirement is the price. */
  credit: Type.Optional(text),
  inputSchema: object,
  inputExample: Type.Optional(object),
  outputSchema: object,
  pathParamsSchema: Type.Optional(object),
  pathParamsExample: Type.Optional(object),
  /** Present for a POST with both a query and a body. */
  queryParamsSchema: Type.Optional(object),
  queryParamsExample: Type.Optional(object),
});

const SIGNED = Type.Object({ authNetworks: Type.Array(text, { minItems: 1 }) });
const SOLD = Type.Object({
  paymentNetwork: text,
  paymentAsset: Type.Object({ mint: text, decimals: Type.Integer({ minimum: 0, maximum: 18 }) }),
});

/** A complete catalog entry. Members of the other access mode may be absent. */
export type CatalogEntry = Static<typeof ENTRY> & Partial<Static<typeof SIGNED> & Static<typeof SOLD>>;

/** Returns the schemas of an entry with this access mode. */
export function entrySchemas(accessMode: unknown) {
  if (accessMode === 'siwx') return [ENTRY, SIGNED];
  return accessMode === 'exact' ? [ENTRY, SOLD] : [ENTRY];
}

const encoded = (value: unknown): string => encodeURIComponent(String(value)).replaceAll('%2C', ',');

/** Returns an endpoint such as `GET /assets/:assetId`. */
export const endpointOf = ({ httpMethod, path }: Pick<CatalogEntry, 'httpMethod' | 'path'>): string =>
  `${httpMethod} ${path}`;

/** Returns an entry's path with its example's values. */
export function bareTarget({ path, pathParamsExample = {} }: CatalogEntry): string {
  const values = new Map<string, unknown>(Object.entries(pathParamsExample));
  return path.replace(/\/:(\w+)/g, (_, name: string) => `/${encoded(values.get(name))}`);
}

/** Returns an entry's path and query with their examples' values. */
export function exampleTarget(entry: CatalogEntry): string {
  const example = (entry.httpMethod === 'GET' ? entry.inputExample : entry.queryParamsExample) ?? {};
  const pairs = Object.entries(example).map(([name, value]) => `${name}=${encoded(value)}`);
  return pairs.length > 0 ? `${bareTarget(entry)}?${pairs.join('&')}` : bareTarget(entry);
}
