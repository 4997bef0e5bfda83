import { isObject, type Members, objectAt, type Route } from '@asset-gateway/protocol';
import { subschemasOf } from '../../apis/document.ts';
import type { ApiPlan } from './file.ts';

/** Returns the members of a value, by path. Members of a list's items have the path of the list. */
function* membersIn(schema: Members, before = ''): Generator<readonly [path: string, schema: Members]> {
  const inside = [...subschemasOf(schema), ...[schema.items].filter(isObject)];
  for (const each of inside) yield* membersIn(each, before);
  for (const [name, value] of Object.entries(objectAt(schema.properties))) {
    yield [before + name, objectAt(value)];
    yield* membersIn(objectAt(value), `${before}${name}.`);
  }
}

const STREAMS = ['stream', 'streaming'];
const SIZES = [
  'n',
  'count',
  'limit',
  'size',
  'take',
  'top',
  'first',
  'bestof',
  'perpage',
  'pagesize',
  'batchsize',
  'days',
];
const COUNTED = ['tokens', 'results', 'items', 'records', 'images', 'outputs'];

const isSize = (name: string): boolean =>
  SIZES.includes(name) || (/^(?:max|num)/.test(name) && COUNTED.some((each) => name.endsWith(each)));
const LIMITING = ['maximum', 'exclusiveMaximum', 'enum', 'const'];

const hasType = (schema: Members, types: readonly unknown[]): boolean =>
  [schema, ...subschemasOf(schema)].some(({ type }) => [type].flat().some((each) => types.includes(each)));
const isLimited = (schema: Members): boolean =>
  [schema, ...subschemasOf(schema)].some((each) => LIMITING.some((keyword) => keyword in each));

function dangerOf([path, schema]: readonly [string, Members], isPaid: boolean): string[] {
  const name = path
    .slice(path.lastIndexOf('.') + 1)
    .toLowerCase()
    .replace(/[_-]/g, '');
  if (STREAMS.includes(name) && hasType(schema, ['boolean', undefined]) && !isLimited(schema))
    return [`${path}: the gateway cannot deliver a streamed answer, so it earns nothing; set it to false or forbid it`];
  if (isPaid && isSize(name) && hasType(schema, ['integer', 'number']) && !isLimited(schema))
    return [`${path}: has no maximum; bound, set or forbid it`];
  return [];
}

const SHARES_LIMIT =
  'shares its limit with free operations, whose clients can use it up; serve those as an API with a key of its own, or set FAIR_SHARES=on';

/** Returns what an operator should check before serving a row. */
export function dangersOf({ input, access, upstream }: Route, { document, rows }: ApiPlan): string[] {
  const isPaid = access === 'exact';
  const all = [input.query, input.body].flatMap((schema) => [...membersIn(objectAt(schema))]);
  const sold = new Set(isPaid ? [] : rows.filter((row) => row.access === 'exact').map((row) => row.upstream.path));
  const reached = sold.size > 0 ? [...(document?.paths.othersFor(upstream.path) ?? [])] : [];
  const others = reached.filter((path) => sold.has(path));
  const isBesideFree = isPaid && rows.some((row) => row.access !== 'exact');
  return [
    ...(isBesideFree ? [SHARES_LIMIT] : []),
    ...new Set(all.flatMap((each) => dangerOf(each, isPaid))),
    ...others.map((path) => `free, beside the paid ${path}; values that lead there are refused`),
  ];
}
