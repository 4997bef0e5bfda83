import { consoleRoutes, everyRoute, type Route } from '@asset-gateway/protocol';
import { Families, type Family } from '../apis/families.ts';
import { type ApiPlan, type ApiUrl, readApisFile } from '../apis/file.ts';
import { MAX_LIMIT, type Reader } from './settings.ts';
import { VARIABLES } from './variables.ts';

const NAME = 'APIS_FILE';
const MAX_KEYS = 16;

/** One URL of an API, with its keys. */
export interface ApiUrlConfig extends ApiUrl {
  /** Empty if the upstream needs none. */
  readonly keys: readonly string[];
}

/** An API of the operator, with the keys of its upstreams. */
export interface ApiConfig extends ApiPlan {
  readonly urls: readonly ApiUrlConfig[];
}

/** The keys of an API's variables, each read once. */
function keyReader(read: Reader, api: ApiPlan): (key: ApiUrl['key']) => readonly string[] {
  const variables = new Set(api.urls.flatMap(({ key }) => key?.env ?? []));
  const keys = new Map([...variables].map((variable) => [variable, readKeys(read, api, variable)]));
  return (key) => keys.get(key?.env ?? '') ?? [];
}

function readKeys(read: Reader, { name }: ApiPlan, env: string): string[] {
  const keys = read.list(env);
  const place = `${NAME}: apis.${name}.key.env`;
  read.check(!VARIABLES.includes(env), `${place}: ${env} configures the gateway; choose another name.`);
  read.check(keys.length > 0, `${place}: ${env} is not set.`);
  read.check(
    keys.length <= MAX_KEYS && new Set(keys).size === keys.length,
    `${env} must hold up to ${MAX_KEYS} different keys.`,
  );
  read.check(
    keys.every((each) => /^[\x21-\x7e]{8,}$/.test(each)),
    `${env} must be printable ASCII without spaces, at least 8 characters for each key.`,
  );
  return keys;
}

/** The operator's file: their own APIs, and settings of the gateway's routes. */
export interface ApisConfig {
  readonly apis: readonly ApiConfig[];
  readonly families: Families;
}

/** Reads the file of APIs; without one, there are none and the gateway's routes are as usual. */
export function readApis(read: Reader): ApisConfig {
  const path = read.optional(NAME);
  if (path === undefined) return { apis: [], families: new Families() };
  const { apis, families, faults } = readApisFile(path);
  for (const fault of faults) read.faults.push(`${NAME}: ${fault}.`);
  const withKeys = (api: ApiPlan): ApiConfig => {
    const keysOf = keyReader(read, api);
    return { ...api, urls: api.urls.map((url) => ({ ...url, keys: keysOf(url.key) })) };
  };
  return { apis: apis.map(withKeys), families };
}

/** The limit of a family: the file's or its variable's; 0 removes the routes. */
export function readLimit(read: Reader, family: Family, variable: readonly [string, number], own: Families): number {
  const [name, fallback] = variable;
  const limit = own.limits.get(family);
  const ofVariable = read.integer(name, fallback, [0, MAX_LIMIT]);
  read.check(
    limit === undefined || read.optional(name) === undefined,
    `${NAME}: the limit of ${family} is set here and in ${name}; unset ${name}.`,
  );
  return own.off.has(family) ? 0 : (limit ?? ofVariable);
}

/** Every row that a log line may name. */
export const rowsOf = (apis: readonly ApiConfig[]): readonly Route[] => [
  ...everyRoute,
  ...consoleRoutes,
  ...apis.flatMap(({ rows }) => rows),
];
