import {
  type BodySchema,
  type InputSchemas,
  isObject,
  type Members,
  objectAt,
  type RequestValues,
  type Rule,
  unchanged,
} from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { type Bound, boundsOf, isNeeded, namesIn, narrowed, type OperatorBounds, SchemaEdit } from './bounds.ts';
import { DocumentFault, shown, subschemasOf } from './document.ts';
import { parameterName } from './path-texts.ts';

/** The longest spelling of a parameter's name that is compared. */
const MAX_NAME = 200;
const NO_LETTERS = /[^\p{L}\p{N}]/gu;
/** Returns a name without what servers may ignore in it: case, look-alike letters, hyphens and underscores. */
const folded = (name: string): string =>
  name.slice(0, MAX_NAME).normalize('NFKC').toLowerCase().replace(NO_LETTERS, '');

const foldedNames = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

/** Returns the names of an object's members, by their folded form. Each bound of a body reads them. */
function namesOf(value: Members): ReadonlyMap<string, readonly string[]> {
  const found = foldedNames.get(value);
  if (found) return found;
  const names = new Map<string, string[]>();
  for (const name of Object.keys(value)) {
    const key = folded(name);
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  foldedNames.set(value, names);
  return names;
}

/** Finds the values at a path, with every spelling of its names. Reads each item of a list. */
function* spelled(
  value: unknown,
  [name = '', ...rest]: readonly string[],
  isExact = true,
): Generator<readonly [value: unknown, isExact: boolean]> {
  if (Array.isArray(value)) for (const each of value) yield* spelled(each, [name, ...rest], isExact);
  else if (isObject(value)) {
    for (const key of namesOf(value).get(folded(name)) ?? []) {
      const found = [value[key], isExact && key === name] as const;
      if (rest.length === 0) yield found;
      else yield* spelled(found[0], rest, found[1]);
    }
  }
}

/** Returns the check that a body keeps to a bound. A number counts only if it is written in plain digits. */
function keeping(bound: Bound): (body: unknown) => boolean {
  const { name, allowed } = bound;
  const schema = allowed && (narrowed({}, allowed) as TSchema);
  return (body) => {
    let isGiven = false;
    for (const [value, isExact] of spelled(body, name.split('.'))) {
      if (!schema || !isExact || !Check(schema, value)) return false;
      isGiven = true;
    }
    return isGiven || !isNeeded(bound);
  };
}

/** Returns a copy of the value with this member at the path, unless the member is there already. */
function withMember(value: unknown, [name = '', ...rest]: readonly string[], sent: unknown): unknown {
  if (value !== undefined && !isObject(value)) return value;
  const own = value && Object.hasOwn(value, name) ? value[name] : undefined;
  return { ...value, [name]: rest.length > 0 ? withMember(own, rest, sent) : (own ?? sent) };
}

const AS_DESCRIBED = 'Must have only the members of the schema, spelled as there, with numbers in plain digits.';

/** Returns the body schema with the documented members only, and a rule for what a schema cannot express. */
function withoutOtherMembers(
  body: BodySchema,
  bounds: readonly Bound[],
): { readonly body: BodySchema; readonly rule: Rule } {
  const names = namesIn(body as Members);
  const isPlain = names !== undefined && subschemasOf(body as Members).length === 0 && 'properties' in body;
  const isNamed = (value: unknown): boolean =>
    !names || !isObject(value) || Object.keys(value).every((each) => names.includes(each));
  const keeps = bounds.map(keeping);
  return {
    body: isPlain ? Object.assign({}, body, { additionalProperties: false }) : body,
    rule: {
      ...{ name: 'asDescribed', in: 'body', parameters: ['body'], description: AS_DESCRIBED },
      holds: (value) => [value].flat().every(isNamed) && keeps.every((isKept) => isKept(value)),
    },
  };
}

/** Applies bounds to the schema of one input place. */
function applied<T extends TSchema>(
  schema: T | undefined,
  bounds: readonly Bound[],
  pathOf: (name: string) => string[],
  mayBeOpen: (bound: Bound) => boolean = () => false,
) {
  const found = new Map<Bound, readonly string[]>();
  let own: Members | undefined = schema && (schema as Members);
  for (const bound of own ? bounds : []) {
    const edit = new SchemaEdit(bound, mayBeOpen(bound));
    const path = pathOf(bound.name);
    try {
      own = edit.in(objectAt(own), path);
    } catch (error) {
      if (error instanceof DocumentFault) throw new DocumentFault(`${shown(bound.name)}: ${error.message}`);
      throw error;
    }
    if (edit.places > 0) found.set(bound, path);
  }
  const send = (values: unknown): unknown =>
    [...found].reduce((sum, [{ sent }, path]) => (sent === undefined ? sum : withMember(sum, path, sent)), values);
  return { schema: own as T | undefined, found, send };
}

/**
 * Returns the input schemas within an entry's bounds, and the values that the gateway sends itself. In `path`, such values replace the
 * parameters that clients do not send. Throws a DocumentFault.
 */
export function bounded(given: InputSchemas, path: string, entry: OperatorBounds) {
  const bounds = boundsOf(entry);
  if (bounds.length === 0) return { input: given, path, rules: [], forward: unchanged };
  const inPath = applied(given.path, bounds, (name) => [parameterName(name)]);
  const inQuery = applied(given.query, bounds, (name) => [name]);
  const isElsewhere = (bound: Bound): boolean => inPath.found.has(bound) || inQuery.found.has(bound);
  const inBody = applied(
    given.body,
    bounds,
    (name) => name.split('.'),
    (bound) => !isElsewhere(bound),
  );
  const lost = bounds.find((bound) => !isElsewhere(bound) && !inBody.found.has(bound));
  if (lost) throw new DocumentFault(`it has no parameter ${shown(lost.name)}`);
  // Members that the document names outside the body are forbidden in it.
  const ofBody = bounds.map((bound) => (inBody.found.has(bound) ? bound : { name: bound.name }));
  const body = inBody.schema && withoutOtherMembers(inBody.schema, ofBody);
  const fixed = [...inPath.found.keys()].filter(({ allowed, sent }) => !allowed && sent !== undefined);
  return {
    input: {
      ...(inPath.schema && Object.keys(inPath.schema.properties).length > 0 && { path: inPath.schema }),
      ...(inQuery.schema && { query: inQuery.schema }),
      ...(body && { body: body.body }),
    },
    path: fixed.reduce(
      (text, { name, sent }) => text.replace(`{${name}}`, () => encodeURIComponent(String(sent))),
      path,
    ),
    rules: body ? [body.rule] : [],
    forward: (values: RequestValues) =>
      ({ path: values.path, query: inQuery.send(values.query), body: inBody.send(values.body) }) as RequestValues,
  };
}
