import { type Issue, Refusal, type RequestValues, type Route, type Values } from '@asset-gateway/protocol';
import type { TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import type { Call, Input } from '../call.ts';
import { readBody, readQuery, shownName } from './read.ts';

const MAX_ISSUES = 20;

type Check = (value: unknown) => Issue[];
type SchemaError = ReturnType<ReturnType<typeof Compile>['Errors']>[number];

// The library stops at eight errors unless told, and a caller may break more rules than that at once.
Settings.Set({ maxErrors: 100 });

const UNKNOWN = 'There is no such parameter.';

/** What is allowed, in words, by the keyword that was broken. */
const ALLOWED: Readonly<Record<string, (parameters: Values) => string>> = {
  required: () => 'This parameter is required.',
  additionalProperties: () => UNKNOWN,
  boolean: () => UNKNOWN,
  type: ({ type }) =>
    type === 'integer' ? 'Must be an integer in decimal digits.' : `Must be of type ${String(type)}.`,
  enum: ({ allowedValues }) => `Must be one of ${(allowedValues as string[]).join(', ')}.`,
  minimum: ({ limit }) => `Must be at least ${String(limit)}.`,
  maximum: ({ limit }) => `Must be at most ${String(limit)}.`,
  minLength: () => 'Must not be empty.',
  maxLength: ({ limit }) => `Must have at most ${String(limit)} characters.`,
  minItems: ({ limit }) => `Must have at least ${String(limit)} items.`,
  maxItems: ({ limit }) => `Must have at most ${String(limit)} items.`,
  pattern: ({ pattern }) => `Must match ${String(pattern)}.`,
};

/** `/mints/3` as `mints[3]`. */
function nameOf(pointer: string): string {
  const [first = '', ...rest] = pointer.slice(1).split('/');
  const name = first.replaceAll('~1', '/').replaceAll('~0', '~');
  return shownName([name, ...rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))].join(''));
}

function namesOf({ keyword, params, instancePath }: SchemaError): string[] {
  if (keyword === 'required') return (params as { requiredProperties: string[] }).requiredProperties;
  if (keyword !== 'additionalProperties') return [instancePath === '' ? 'body' : nameOf(instancePath)];
  return (params as { additionalProperties: string[] }).additionalProperties.map(shownName);
}

const unknownName = (place: Issue['in'], name: string): Issue => ({
  in: place,
  name: shownName(name),
  rule: 'additionalProperties',
  message: UNKNOWN,
});

const tooManyItems = (place: Issue['in'], name: string, limit: number): Issue => ({
  in: place,
  name,
  rule: 'maxItems',
  message: `Must have at most ${limit} items.`,
});

/** What needs no look at the values: unknown names, and lists that are too long to be worth reading. */
function outerIssues(value: object, { properties }: TObject, place: Issue['in']): Issue[] {
  return Object.entries(value).flatMap(([name, item]) => {
    if (!Object.hasOwn(properties, name)) return [unknownName(place, name)];
    const limit: unknown = Reflect.get(properties[name] ?? {}, 'maxItems');
    const isTooLong = Array.isArray(item) && typeof limit === 'number' && item.length > limit;
    return isTooLong ? [tooManyItems(place, name, limit)] : [];
  });
}

/** The value without its unknown names, and with its lists cut to their limit: what is left to be said about it. */
function readable(value: object, { properties }: TObject): Values {
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(
    known.map(([name, item]) => {
      const limit: unknown = Reflect.get(properties[name] ?? {}, 'maxItems');
      return [name, Array.isArray(item) && typeof limit === 'number' ? item.slice(0, limit) : item];
    }),
  );
}

/** A compiled schema: the first broken keyword of each value, as issues. What the schema refuses never passes. */
function compile(schema: TObject, place: Issue['in']): Check {
  const validator = Compile(schema);
  const innerIssues = (value: unknown): Issue[] => {
    const issues = new Map<string, Issue>();
    for (const error of validator.Errors(value)) {
      const message = ALLOWED[error.keyword]?.(error.params as Values) ?? 'Must fit the schema of this route.';
      const rule = error.keyword === 'boolean' ? 'additionalProperties' : error.keyword;
      for (const name of namesOf(error)) {
        if (!issues.has(name)) issues.set(name, { in: place, name, rule, message });
      }
    }
    const fallback = { in: place, name: place, rule: 'schema', message: 'Must fit the schema of this route.' };
    return issues.size > 0 ? [...issues.values()] : [fallback];
  };
  return (value) => {
    if (validator.Check(value)) return [];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return innerIssues(value);
    const outer = outerIssues(value, schema, place);
    const known = readable(value, schema);
    return outer.length > 0 && validator.Check(known) ? outer : [...outer, ...innerIssues(known)];
  };
}

const nothing =
  (place: Issue['in']): Check =>
  (value) =>
    Object.keys(value as object).map((name) => unknownName(place, name));

function brokenRules(route: Route, values: RequestValues): Issue[] {
  return route.rules
    .filter((rule) => !rule.holds(values[rule.in]))
    .map((rule) => ({ in: rule.in, name: rule.parameters.join(','), rule: rule.name, message: rule.description }));
}

function refuse(route: Route, issues: readonly Issue[]): never {
  const coded = issues.find(({ name }) => Object.hasOwn(route.codes, name));
  const code = coded && route.codes[coded.name];
  const reason = issues
    .map(({ name, rule }) => `${name} ${rule}`)
    .join(', ')
    .slice(0, 200);
  throw new Refusal(code ?? 'invalid_request', { issues: issues.slice(0, MAX_ISSUES), reason });
}

function createReader({ input }: Route) {
  const path = input.path ? compile(input.path, 'path') : nothing('path');
  const query = input.query ? compile(input.query, 'query') : nothing('query');
  const body = input.body && compile(input.body, 'body');
  return ({ inbound, parameters, query: text, route }: Call): Input => {
    const read = readQuery(text, input.query);
    const json = body ? readBody(inbound.body, inbound.headers) : {};
    const issues = [...path(parameters), ...read.issues, ...query(read.values), ...(body?.(json) ?? [])];
    const values = { path: parameters, query: read.values, body: json } as RequestValues;
    const isObject = typeof json === 'object' && json !== null;
    const all = isObject ? [...issues, ...brokenRules(route, values)] : issues;
    if (all.length > 0) refuse(route, all);
    return values as Input;
  };
}

/** Reads a call's raw parameters by its row's schemas, or refuses with every violation at once. */
export function createValidate(routes: readonly Route[]): (call: Call) => Input {
  const readers = new Map(routes.map((route) => [route.id, createReader(route)]));
  return (call) => {
    const read = readers.get(call.route.id);
    if (!read) throw new Error(`no reader for ${call.route.id}`);
    return read(call);
  };
}
