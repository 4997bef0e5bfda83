import { dirname, resolve } from 'node:path';
import type { Cluster, Route } from '@asset-gateway/protocol';
import { closest } from 'fastest-levenshtein';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/schema';
import type { Lifetime } from '../cache/lifetimes.ts';
import {
  DocumentFault,
  type Members,
  membersOf,
  OpenApiDocument,
  type Operation,
  readMembers,
  shown,
} from './document.ts';
import { rowOf } from './rows.ts';

const MAX_LIMIT = 1_000_000;
const MAX_SECONDS = 604_800;
const ENV_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,99}$';

const closed = <T extends Parameters<typeof Type.Object>[0]>(properties: T, description: string) =>
  Type.Object(properties, { additionalProperties: false, description });
const optional = Type.Optional;
const seconds = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_SECONDS, description });
const limit = (description: string) => optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description }));
const text = (description: string, maxLength = 200) => Type.String({ minLength: 1, maxLength, description });

const CACHE = closed(
  {
    freshSeconds: seconds('Until this age no refresh is due.'),
    maxStaleSeconds: seconds('An answer is never served after this age.'),
  },
  'How long answers are cached. Needs RESPONSE_CACHE=on.',
);

const env = Type.String({ pattern: ENV_NAME, description: 'The variable with the key, or several with commas.' });
const KEY = Type.Union([
  closed({ header: Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }), env }, 'A key in a header.'),
  closed({ query: Type.String({ pattern: '^[\\w.-]{1,64}$' }), env }, 'A key in the query.'),
  closed({ bearer: Type.Literal(true), env }, 'A bearer token.'),
]);

const ACCESS = optional(
  Type.Enum(['siwx', 'exact'], { type: 'string', description: 'siwx: free for a signature. exact: paid per call.' }),
);
const PRICE = optional(
  Type.String({ pattern: '^[0-9]{1,3}(?:\\.[0-9]{1,6})?$', description: 'Dollars a call, such as "0.002".' }),
);

const OPERATION = closed(
  { access: ACCESS, price: PRICE, cache: optional(CACHE) },
  'How an operation is served; what is absent is as for its API.',
);

const API = closed(
  {
    title: text('The name that people read.', 60),
    openapi: text('The OpenAPI document, 3.0 or 3.1, as a path from this file.', 1_000),
    url: text('The base URL of the API; the paths of the document follow it.', 1_000),
    key: optional(KEY),
    requestsPerMinute: limit('The limit of each key.'),
    access: ACCESS,
    price: PRICE,
    cluster: optional(
      Type.Enum(['mainnet', 'devnet'], { type: 'string', description: 'The Solana cluster of payments.' }),
    ),
    cache: optional(CACHE),
    operations: Type.Record(Type.String(), OPERATION, {
      description: 'The operations that are served, by operationId or by verb and path such as GET /forecast.',
    }),
  },
  'An API behind the gateway.',
);

/** The schema of the file. */
export const FILE = closed({ apis: Type.Record(Type.String(), API, { description: 'By name.' }) }, 'APIS_FILE');

type ApiEntry = Static<typeof API>;
type KeyEntry = Static<typeof KEY>;

/** An API with the rows that it serves; its keys are in the environment. */
export interface ApiPlan {
  readonly name: string;
  readonly title: string;
  readonly baseUrl: string;
  readonly key: KeyEntry | undefined;
  readonly limitPerMinute: number;
  readonly rows: readonly Route[];
  /** By row id, in millionths of a dollar. */
  readonly prices: ReadonlyMap<string, number>;
  /** By row id. */
  readonly lifetimes: ReadonlyMap<string, Lifetime>;
}

/** What a file says: the APIs without faults, and every fault as a sentence with its place. */
export interface ApisFile {
  readonly apis: readonly ApiPlan[];
  readonly faults: readonly string[];
}

const API_NAME = /^[a-z][a-z0-9-]{1,30}$/;
const TAKEN = ['alchemy', 'all', 'any', 'catalog', 'credit', 'das', 'gateway', 'helius', 'rpc', 'solana', 'system'];
const RESERVED = new Set([...TAKEN, 'tokens', 'wallet', 'mainnet', 'devnet', 'none']);
const DEFAULT_LIMIT = 60;
const MICROS = 1_000_000;

const fileSchema = Compile(FILE);

const placeOf = (pointer: string): string =>
  pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~') || 'the file';

interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: unknown;
  readonly message: string;
}

/** The names that an object of the file may have. */
function namesAt(schemaPath: string): string[] {
  let found: unknown = FILE;
  for (const segment of schemaPath.split('/').slice(1)) found = membersOf(found)[segment];
  return Object.keys(membersOf(membersOf(found).properties));
}

function sentenceOf({ keyword, schemaPath, instancePath, params, message }: SchemaError): string[] {
  const place = placeOf(instancePath);
  // Each unknown name is reported once, by the object that has it.
  if (keyword === 'boolean' || keyword === 'anyOf') return [];
  if (keyword !== 'additionalProperties') return [`${place} ${message}`];
  const unknown = (params as { readonly additionalProperties: readonly string[] }).additionalProperties;
  const known = namesAt(schemaPath);
  return unknown.map((name) => `${place} has no ${shown(name)}; the nearest is ${closest(name, known)}`);
}

function isBaseUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password, hash, search } = new URL(url);
  return ['http:', 'https:'].includes(protocol) && username + password + hash + search === '';
}

const microsOf = (price: string): number => Math.round(Number(price) * MICROS);

/** Reads one API, and collects its faults. */
class ApiReading {
  readonly faults: string[] = [];
  readonly #name: string;
  readonly #entry: ApiEntry;
  readonly #rows: Route[] = [];
  readonly #prices = new Map<string, number>();
  readonly #lifetimes = new Map<string, Lifetime>();

  constructor(name: string, entry: ApiEntry) {
    this.#name = name;
    this.#entry = entry;
  }

  read(folder: string): ApiPlan | undefined {
    const { title, openapi, url, key, requestsPerMinute = DEFAULT_LIMIT } = this.#entry;
    this.#check(API_NAME.test(this.#name), 'is not a name of lower-case letters, digits and hyphens');
    this.#check(!RESERVED.has(this.#name), 'is the name of a part of the gateway; choose another');
    this.#check(isBaseUrl(url), 'url must be an http or https URL without a query');
    const document = this.#documentIn(resolve(folder, openapi));
    if (document) this.#serve(document, openapi);
    if (this.faults.length > 0) return undefined;
    const served = { rows: this.#rows, prices: this.#prices, lifetimes: this.#lifetimes };
    return { name: this.#name, title, baseUrl: url, key, limitPerMinute: requestsPerMinute, ...served };
  }

  #check(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(`apis.${this.#name}: ${fault}`);
  }

  #documentIn(path: string): OpenApiDocument | undefined {
    try {
      return new OpenApiDocument(readMembers(path));
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      this.#check(false, `openapi: ${path} ${error.message}`);
      return undefined;
    }
  }

  #serve(document: OpenApiDocument, file: string): void {
    const operations = new Map<string, Operation>();
    for (const operation of document.operations()) {
      const { operationId } = operation.node;
      operations.set(`${operation.verb} ${operation.path}`, operation);
      if (typeof operationId === 'string') operations.set(operationId, operation);
    }
    for (const [name, settings] of Object.entries(this.#entry.operations)) {
      const operation = operations.get(name);
      const nearest = closest(name, [...operations.keys()]);
      this.#check(operation !== undefined, `${file} has no operation ${shown(name)}; the nearest is ${nearest}`);
      if (operation) this.#serveOne(document, operation, name, settings);
    }
  }

  #serveOne(document: OpenApiDocument, operation: Operation, name: string, settings: Static<typeof OPERATION>): void {
    const { access = 'siwx', price, cluster = 'mainnet', cache, key } = this.#entry;
    const own = { access, price, cache: settings.access === 'exact' ? undefined : cache, ...settings };
    const fault = (text: string) => this.#check(false, `operations.${name}: ${text}`);
    const isPaid = own.access === 'exact';
    if (isPaid && (own.price === undefined || microsOf(own.price) < 1)) fault('a paid operation needs a price above 0');
    if (!isPaid && settings.price !== undefined) fault('it has a price, but its access is siwx');
    if (isPaid && settings.cache) fault('a paid operation is not cached');
    try {
      const row = rowOf(document, operation, {
        api: this.#name,
        access: own.access,
        cluster: cluster as Cluster,
        keyName: keyNameOf(key),
      });
      this.#assertNew(row);
      this.#rows.push(row);
      if (isPaid) this.#prices.set(row.id, microsOf(own.price ?? ''));
      else if (own.cache) this.#lifetimes.set(row.id, own.cache);
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      fault(`${operation.verb} ${operation.path}: ${error.message}`);
    }
  }

  /** Two rows must not have the same name, nor paths that match the same requests. */
  #assertNew(row: Route): void {
    const shape = ({ path, httpMethod }: Route) => `${httpMethod} ${path.replace(/\/:\w+/g, '/:')}`;
    const same = this.#rows.find((other) => shape(other) === shape(row) || other.method === row.method);
    if (same) throw new DocumentFault(`it has the path or the name of ${same.id}`);
  }
}

/** The header or query parameter of a key. */
export function keyNameOf(key: KeyEntry | undefined): string | undefined {
  if (!key) return undefined;
  if ('header' in key) return key.header;
  return 'query' in key ? key.query : 'Authorization';
}

function schemaFaults(value: Members): string[] {
  if (fileSchema.Check(value)) return [];
  const [, errors] = fileSchema.Errors(value);
  return [...new Set((errors as readonly SchemaError[]).flatMap(sentenceOf))].slice(0, MAX_FAULTS);
}

const MAX_FAULTS = 50;

/** Reads the file that describes APIs, and their documents. */
export function readApisFile(path: string): ApisFile {
  try {
    const value = readMembers(path);
    const faults = schemaFaults(value);
    if (faults.length > 0) return { apis: [], faults };
    const { apis } = value as Static<typeof FILE>;
    const readings = Object.entries(apis).map(([name, entry]) => new ApiReading(name, entry));
    const plans = readings.flatMap((reading) => reading.read(dirname(path)) ?? []);
    return { apis: plans, faults: readings.flatMap((reading) => reading.faults) };
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    return { apis: [], faults: [`${path} ${error.message}`] };
  }
}
