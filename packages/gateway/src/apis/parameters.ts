import type { TObject, TSchema } from 'typebox';
import {
  DocumentFault,
  itemsOf,
  type Members,
  membersOf,
  type OpenApiDocument,
  type Operation,
  shown,
} from './document.ts';
import { parameterName } from './paths.ts';
import { checkedSchema, isInherited } from './schemas.ts';

const LITERAL = /^[A-Za-z0-9._~!$&'()*+,;=@-]+$/;
const PARAMETER = /^\{([^{}]+)\}$/;
const DOTS = /^\.{1,2}$/;
const NAME = /^[\w.[\]-]{1,64}$/;

/** A path with `:name` for `{name}`. */
export function templateOf(path: string): string {
  if (path === '/') return path;
  if (!path.startsWith('/')) throw new DocumentFault('the path does not start with /');
  const segments = path.slice(1).split('/');
  return `/${segments.map((segment) => segmentOf(segment)).join('/')}`;
}

function segmentOf(segment: string): string {
  const [, name] = PARAMETER.exec(segment) ?? [];
  if (name !== undefined) return `:${parameterName(name)}`;
  if (LITERAL.test(segment) && !DOTS.test(segment)) return segment;
  throw new DocumentFault(`the path has the segment ${shown(segment)}, which is neither plain text nor one parameter`);
}

const SCALARS = ['string', 'integer', 'number', 'boolean'];

const kindOf = (schema: unknown): string => {
  const { type, enum: values } = membersOf(schema);
  if (type === undefined && Array.isArray(values)) return typeof values[0];
  return String(type ?? 'string');
};

/** Whether a value of this schema can be written in a path or query. */
function isWritable(schema: TSchema): boolean {
  const kind = kindOf(schema);
  return SCALARS.includes(kind) || (kind === 'array' && SCALARS.includes(kindOf(membersOf(schema).items)));
}

/** The row's schema of a parameter: a text is typed by `type`, so null is left out. */
function textSchema(document: OpenApiDocument, node: Members): TSchema {
  const schema = membersOf(checkedSchema(document, node.schema));
  const { anyOf, ...rest } = schema;
  const others = itemsOf(anyOf).filter((each) => membersOf(each).type !== 'null');
  const [only] = others;
  const type = itemsOf(rest.type).filter((each) => each !== 'null');
  const found = { ...rest, ...(others.length === 1 ? membersOf(only) : anyOf !== undefined && { anyOf }) };
  const typed = type.length === 1 ? { ...found, type: type[0] } : found;
  const description = node.description === undefined ? {} : { description: String(node.description).slice(0, 300) };
  const example = node.example === undefined ? {} : { examples: [node.example] };
  return { ...typed, type: kindOf(typed), ...description, ...example } as TSchema;
}

/** Headers that OpenAPI describes elsewhere; as parameters they are ignored. */
const DESCRIBED_ELSEWHERE = ['accept', 'content-type', 'authorization'];

function parameterOf(document: OpenApiDocument, value: unknown) {
  const node = membersOf(document.resolve(value));
  const { name, in: place, required, style, explode = true, content } = node;
  const label = `the ${String(place)} parameter ${shown(String(name))}`;
  if (place === 'header' || place === 'cookie') {
    const isRequired = required === true && !DESCRIBED_ELSEWHERE.includes(String(name).toLowerCase());
    return { name: String(name), place, isRequired, schema: {} as TSchema, isRepeated: false };
  }
  const isPath = place === 'path';
  if (!NAME.test(String(name)) || isInherited(String(name))) throw new DocumentFault(`${label} has an unusable name`);
  if (content !== undefined) throw new DocumentFault(`${label} has a media type`);
  if (style !== undefined && style !== (isPath ? 'simple' : 'form'))
    throw new DocumentFault(`${label} has the style ${shown(String(style))}`);
  const schema = textSchema(document, node);
  if (!isWritable(schema) || 'anyOf' in schema || 'oneOf' in schema || 'allOf' in schema)
    throw new DocumentFault(`${label} is neither a single value nor a list of values`);
  const isRepeated = kindOf(schema) === 'array' && explode === true;
  return { name: String(name), place: String(place), isRequired: isPath || required === true, schema, isRepeated };
}

/** A parameter with its schema. */
type Parameter = ReturnType<typeof parameterOf>;

/** The parameters of an operation; its own replace those of its path. */
export function parametersOf(document: OpenApiDocument, { node, shared }: Operation, keyName?: string): Parameter[] {
  const byName = new Map<string, Parameter>();
  for (const list of [shared, itemsOf(node.parameters)]) {
    const own = new Map<string, Parameter>();
    for (const parameter of list.map((each) => parameterOf(document, each))) {
      const key = `${parameter.place} ${parameter.name}`;
      if (own.has(key))
        throw new DocumentFault(`the ${parameter.place} parameter ${shown(parameter.name)} is listed twice`);
      own.set(key, parameter);
    }
    for (const [key, parameter] of own) {
      if (parameter.name.toLowerCase() !== keyName?.toLowerCase()) byName.set(key, parameter);
    }
  }
  for (const { name, place, isRequired } of byName.values()) {
    const isHidden = place === 'header' || place === 'cookie';
    if (isHidden && isRequired) throw new DocumentFault(`the ${place} parameter ${shown(name)} is required`);
  }
  return [...byName.values()];
}

export function objectOf(parameters: readonly Parameter[], nameOf = (name: string) => name): TObject | undefined {
  if (parameters.length === 0) return undefined;
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [nameOf(name), schema]));
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => nameOf(name));
  return { type: 'object', properties, required, additionalProperties: false } as unknown as TObject;
}

/** Throws if the parameters of a path are not those that the operation describes. */
export function assertNamed(template: string, path: TObject | undefined): void {
  const inPath = template.split('/').filter((segment) => segment.startsWith(':'));
  const names = new Set(inPath.map((segment) => segment.slice(1)));
  const described = Object.keys(path?.properties ?? {});
  const isSame = names.size === described.length && described.every((name) => names.has(name));
  if (!isSame || names.size !== inPath.length)
    throw new DocumentFault('the parameters of the path are not those that the operation describes');
}
