import Type, { type Static } from 'typebox';
import type { Answer } from './http-client.ts';

/** Enough for a billion dollars with 18 decimals. */
export const MAX_PRICE_LENGTH = 40;

const text = Type.String({ minLength: 1 });
const object = Type.Object({});

/** The members that every catalog entry must have. */
const ENTRY = Type.Object({
  path: Type.String({ pattern: '^/' }),
  httpMethod: Type.Enum(['GET', 'POST']),
  provider: text,
  surface: text,
  method: text,
  description: text,
  accessMode: Type.Enum(['siwx', 'exact']),
  paymentRequired: Type.Boolean(),
  priceUsd: Type.String({ pattern: '^[0-9]+\\.[0-9]{2,}$', maxLength: MAX_PRICE_LENGTH }),
  /** Present if overpayment becomes credit; then the first requirement is the price. */
  credit: Type.Optional(text),
  inputSchema: object,
  inputExample: Type.Optional(object),
  outputSchema: object,
  pathParamsSchema: Type.Optional(object),
  pathParamsExample: Type.Optional(object),
  /** Of a POST that has both a query and a body. */
  queryParamsSchema: Type.Optional(object),
  queryParamsExample: Type.Optional(object),
});

const SIGNED = Type.Object({ authNetworks: Type.Array(text, { minItems: 1 }) });
const SOLD = Type.Object({
  paymentNetwork: text,
  paymentAsset: Type.Object({ mint: text, decimals: Type.Integer({ minimum: 0, maximum: 18 }) }),
});

/** A complete catalog entry. Members of the other access mode may be absent. */
export type Entry = Static<typeof ENTRY> & Partial<Static<typeof SIGNED> & Static<typeof SOLD>>;

/** The schemas of an entry with this access mode. */
export function entrySchemas(accessMode: unknown) {
  if (accessMode === 'siwx') return [ENTRY, SIGNED];
  return accessMode === 'exact' ? [ENTRY, SOLD] : [ENTRY];
}

const encoded = (value: unknown): string => encodeURIComponent(String(value)).replaceAll('%2C', ',');

/** `GET /assets/:assetId`. */
export const endpointOf = ({ httpMethod, path }: Pick<Entry, 'httpMethod' | 'path'>): string => `${httpMethod} ${path}`;

/** An entry's path with its example values. */
export function bareTarget({ path, pathParamsExample = {} }: Entry): string {
  const values = new Map<string, unknown>(Object.entries(pathParamsExample));
  return path.replace(/:(\w+)/g, (_, name: string) => encoded(values.get(name)));
}

/** An entry's path and query with their example values. */
export function exampleTarget(entry: Entry): string {
  const example = (entry.httpMethod === 'GET' ? entry.inputExample : entry.queryParamsExample) ?? {};
  const pairs = Object.entries(example).map(([name, value]) => `${name}=${encoded(value)}`);
  return pairs.length > 0 ? `${bareTarget(entry)}?${pairs.join('&')}` : bareTarget(entry);
}

/** The documents that describe a gateway. */
export type DocumentName = 'liveness' | 'catalog' | 'openapi' | 'wellKnown' | 'llms';

/** The requests to an endpoint. */
export interface Probe {
  readonly httpMethod: string;
  /** All verbs of its path except HEAD and OPTIONS. */
  readonly verbs: readonly string[];
  /** A plain request. */
  readonly plain: Answer;
  /** The HEAD request, if the verb is GET. */
  readonly head?: Answer;
  /** A request with a verb that the path does not support. */
  readonly otherVerb: Answer;
  readonly preflight: Answer;
}

/** A document, and a request for it with its ETag. */
export interface DocumentProbe extends Probe {
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  readonly again?: Answer;
}

/** A route of the catalog, requested without a signature or a payment. */
export interface RouteProbe extends Probe {
  readonly entry: Entry;
  /** Its bare URL twice, then with the catalog's example; the first route of an access mode also with an invalid proof. */
  readonly unpaid: readonly Answer[];
}

/** The catalog's list of one provider. */
export interface ProviderList {
  readonly id: string;
  readonly routeCount: unknown;
  readonly answer: Answer;
}

/** All requests to a gateway and their answers. */
export interface World {
  readonly origin: string;
  /** The complete entries of the catalog. */
  readonly entries: readonly Entry[];
  /** The number of routes beyond the limit. */
  readonly leftOut: number;
  readonly documents: Readonly<Record<DocumentName, DocumentProbe>>;
  /** The keys of receipts, if the gateway signs them. */
  readonly didDocument?: { readonly plain: Answer; readonly json: unknown };
  readonly providers: readonly ProviderList[];
  readonly routes: readonly RouteProbe[];
  /** A preflight with the response header that the official browser client sends by mistake. */
  readonly officialPreflight: Answer | undefined;
  readonly strays: {
    readonly unknownPath: Answer;
    readonly unknownPreflight: Answer;
    readonly malformedPath: Answer;
    readonly unknownProvider: Answer;
  };
  /** Every answer, in order of arrival. */
  readonly answers: readonly Answer[];
}

/** The probes of all endpoints. */
export const allProbes = ({ documents, routes }: World): readonly Probe[] => [...Object.values(documents), ...routes];

/** The answered unpaid requests, each with the entry of its route. */
export const unpaidAnswers = ({ routes }: World): { readonly entry: Entry; readonly answer: Answer }[] =>
  routes.flatMap(({ entry, unpaid }) =>
    unpaid.filter(({ status }) => status !== 0).map((answer) => ({ entry, answer })),
  );
