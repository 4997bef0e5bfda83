import { type Members, microsOfUsd, nearest, objectAt } from '@asset-gateway/protocol';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/schema';
import { shown } from '../../apis/document.ts';
import { MAX_LIMIT } from '../settings.ts';
import { KEY, ONE_WAY, optional, strictObject } from './keys.ts';

const MAX_SECONDS = 604_800;

const seconds = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_SECONDS, description });
const limit = (description: string) => optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description }));
const text = (description: string, maxLength = 200) => Type.String({ minLength: 1, maxLength, description });

const CACHE = strictObject(
  {
    freshSeconds: seconds('Until this age no refresh is due.'),
    maxStaleSeconds: seconds('An answer is never served after this age.'),
  },
  'How long answers are cached. Needs RESPONSE_CACHE=on.',
);

const ACCESS = optional(
  Type.Enum(['siwx', 'exact'], { type: 'string', description: 'siwx: free for a signature. exact: paid per call.' }),
);
const PRICE_TEXT = /^[0-9]{1,3}(?:\.[0-9]{1,6})?$/;
const PRICE = optional(
  Type.Unsafe<string | number>({
    ...{ type: ['string', 'number'], pattern: PRICE_TEXT.source, minimum: 0, exclusiveMaximum: 1_000 },
    description: 'Dollars per call with up to six decimals, such as 0.002.',
  }),
);

const SETTLEMENT_FEE = optional(
  Type.Boolean({
    description:
      'true: a call that is settled by itself also costs SETTLEMENT_FEE_USD_MICROS. Default: the price as written.',
  }),
);

const SCALAR = Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] });
const BOUND = Type.Object(
  {
    values: optional(Type.Array(SCALAR, { minItems: 1, description: 'The only values.' })),
    minimum: optional(Type.Number()),
    maximum: optional(Type.Number()),
    maxLength: optional(Type.Integer({ minimum: 0, description: 'The longest text.' })),
    maxItems: optional(Type.Integer({ minimum: 0, description: 'The longest list.' })),
    default: optional(Type.Unknown({ description: 'Sent if a client gives no value.' })),
    optional: optional(
      Type.Boolean({ description: 'true: a client may omit the value although there is no default.' }),
    ),
  },
  { additionalProperties: false, minProperties: 1, description: 'What clients may send.' },
);
const NAMED = 'By name of a path or query parameter, or by dot path into the body.';

const OPERATION = strictObject(
  {
    access: ACCESS,
    price: PRICE,
    settlementFee: SETTLEMENT_FEE,
    cache: optional(CACHE),
    set: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: `Values that are always sent. Clients cannot see them. ${NAMED}`,
      }),
    ),
    forbid: optional(Type.Array(text('A name.'), { description: `What clients may not send. ${NAMED}` })),
    bounds: optional(Type.Record(Type.String(), BOUND, { description: NAMED })),
    slashes: optional(
      Type.Boolean({
        description:
          'true: path values may have slashes. This concerns parameters whose example has one, or else the last parameter.',
      }),
    ),
    idempotent: optional(
      Type.Boolean({
        description: 'true: the request is not a GET, but sending it again has no further effect.',
      }),
    ),
  },
  'How an operation is served. Absent settings are those of its API.',
);

const HEADER_NAME = Type.String({ pattern: '^[\\w-]{1,64}$' });
const HEADER_VALUE = Type.String({ pattern: '^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,198}[\\x21-\\x7e])?$' });
const MAX_HEADERS = 16;
const MAX_URLS = 8;
const MAX_TIMEOUT = 600;
const BASE_URL = text('The base URL of the API, which the paths of the document follow.', 1_000);

const API = strictObject(
  {
    title: text('The name for people.', 60),
    openapi: text('The OpenAPI document, 3.0 or 3.1, as a path from this file.', 1_000),
    url: optional(BASE_URL),
    urls: optional(
      Type.Array(
        strictObject(
          { url: BASE_URL, key: optional(KEY), requestsPerMinute: limit('The limit of each key.') },
          'A URL of the API. Key and limit default to those of the API.',
        ),
        {
          minItems: 1,
          maxItems: MAX_URLS,
          description: 'Several URLs in place of url. While one is down, the next is used.',
        },
      ),
    ),
    key: optional(KEY),
    requestsPerMinute: limit('The limit of each key.'),
    headers: optional(
      Type.Record(HEADER_NAME, HEADER_VALUE, {
        additionalProperties: false,
        maxProperties: MAX_HEADERS,
        description: 'Headers of each request, such as a tenant or a User-Agent. They are not secret.',
      }),
    ),
    timeoutSeconds: optional(
      Type.Integer({ minimum: 1, maximum: MAX_TIMEOUT, description: 'How long an answer may take.' }),
    ),
    access: ACCESS,
    price: PRICE,
    settlementFee: SETTLEMENT_FEE,
    cluster: optional(
      Type.Enum(['mainnet', 'devnet'], { type: 'string', description: 'The Solana cluster of payments.' }),
    ),
    cache: optional(CACHE),
    operations: Type.Record(Type.String(), OPERATION, {
      description: 'The served operations, by operationId or by verb and path, such as GET /forecast.',
    }),
  },
  'An API behind the gateway.',
);

const OWN_OPERATION = strictObject(
  {
    enabled: optional(Type.Boolean({ description: 'false: the route is not served.' })),
    price: PRICE,
    settlementFee: SETTLEMENT_FEE,
    cache: optional(CACHE),
  },
  'Settings of single routes of the family. Absent settings keep their defaults.',
);

const SURFACE = {
  enabled: optional(Type.Boolean({ description: 'false: no route of the family is served.' })),
  price: PRICE,
  settlementFee: SETTLEMENT_FEE,
  operations: optional(
    Type.Record(Type.String(), OWN_OPERATION, {
      description:
        'By method, by the rest of a route id such as mainnet.helius.getBalance, or by a prefix such as mainnet.*',
    }),
  ),
};
const paidFamily = (routes: string) =>
  optional(
    strictObject(
      { ...SURFACE, requestsPerSecond: limit('The limit per provider and cluster.') },
      `The gateway's ${routes} routes.`,
    ),
  );

/** The schema of the file. */
export const FILE = strictObject(
  {
    apis: optional(Type.Record(Type.String(), API, { description: 'By name.' })),
    tokens: optional(
      strictObject(
        { ...SURFACE, requestsPerMinute: limit('The limit of each key.') },
        "The gateway's asset-data routes.",
      ),
    ),
    rpc: paidFamily('RPC'),
    das: paidFamily('DAS'),
    wallet: paidFamily('wallet'),
  },
  'APIS_FILE',
);

export type ApiEntry = Static<typeof API>;
export type OperationEntry = Static<typeof OPERATION>;
export type FileEntry = Static<typeof FILE>;
/** The file's section about one of the gateway's own surfaces. */
export type SurfaceEntry = NonNullable<FileEntry['tokens'] & FileEntry['rpc']>;

/** What a price must be, for messages. */
export const PRICED = 'above 0, with up to six decimals';

/** Returns a price in millionths of a dollar; NaN if it has more decimals. */
export const microsOf = (price: string | number): number =>
  PRICE_TEXT.test(String(price)) ? microsOfUsd(price) : Number.NaN;

const keyPathOf = (pointer: string): string =>
  pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~') || 'the file';

/** Returns the allowed member names of the object at this place in the schema. */
function namesAt(schemaPath: string): string[] {
  let found: unknown = FILE;
  for (const segment of schemaPath.split('/').slice(1)) found = objectAt(found)[segment];
  return Object.keys(objectAt(objectAt(found).properties));
}

type SchemaError = ReturnType<ReturnType<typeof Compile>['Errors']>[1][number];

function sentenceOf({ keyword, schemaPath, instancePath, params, message }: SchemaError): string[] {
  const keyPath = keyPathOf(instancePath);
  // Each unknown name is reported once, by its object; alternatives are reported as a whole.
  if (keyword === 'boolean' || schemaPath.includes('/oneOf/')) return [];
  if (keyword === 'oneOf') return [`${keyPath} ${ONE_WAY}`];
  if (instancePath.endsWith('/price')) return [`${keyPath} must be dollars such as 0.002, ${PRICED}`];
  if (keyword !== 'additionalProperties') return [`${keyPath} ${message}`];
  const unknown = (params as { readonly additionalProperties: readonly string[] }).additionalProperties;
  const known = namesAt(schemaPath);
  return unknown.map((name) => `${keyPath} has no ${shown(name)}; the nearest is ${nearest(name, known)}`);
}

const MAX_FAULTS = 50;

/** Returns the faults of a file against its schema, as sentences that name their places. */
export function schemaFaults(value: Members): string[] {
  const fileSchema = Compile(FILE);
  if (fileSchema.Check(value)) return [];
  const [, errors] = fileSchema.Errors(value);
  return [...new Set(errors.flatMap(sentenceOf))].slice(0, MAX_FAULTS);
}
