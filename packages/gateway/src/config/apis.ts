import { consoleRoutes, everyRoute, type Route } from '@asset-gateway/protocol';
import { type ApiPlan, readApisFile } from '../apis/file.ts';
import type { Reader } from './settings.ts';
import { VARIABLES } from './variables.ts';

const NAME = 'APIS_FILE';
const MAX_KEYS = 16;

/** An API of the operator, with the keys of its upstream. */
export interface ApiConfig extends ApiPlan {
  /** Empty if the upstream needs none. */
  readonly keys: readonly string[];
}

function readKeys(read: Reader, { name, key }: ApiPlan): string[] {
  if (!key) return [];
  const keys = read.list(key.env);
  const place = `${NAME}: apis.${name}.key.env`;
  read.check(!VARIABLES.includes(key.env), `${place}: ${key.env} configures the gateway; choose another name.`);
  read.check(keys.length > 0, `${place}: ${key.env} is not set.`);
  read.check(
    keys.length <= MAX_KEYS && new Set(keys).size === keys.length,
    `${key.env} must hold up to ${MAX_KEYS} different keys.`,
  );
  read.check(
    keys.every((each) => /^[\x21-\x7e]+$/.test(each)),
    `${key.env} must be printable ASCII without spaces.`,
  );
  return keys;
}

/** Reads the APIs of the operator; none without a file. */
export function readApis(read: Reader): readonly ApiConfig[] {
  const path = read.optional(NAME);
  if (path === undefined) return [];
  const { apis, faults } = readApisFile(path);
  for (const fault of faults) read.faults.push(`${NAME}: ${fault}.`);
  return apis.map((api) => ({ ...api, keys: readKeys(read, api) }));
}

/** Every row that a log line may name. */
export const rowsOf = (apis: readonly ApiConfig[]): readonly Route[] => [
  ...everyRoute,
  ...consoleRoutes,
  ...apis.flatMap(({ rows }) => rows),
];
