import type { JsonSchema } from './schemas.ts';

/** `input`: optional members may be `undefined`. */
type Direction = 'input' | 'result';

const UINT64_MAXIMUM = 2 ** 64;
const NAME = /^[A-Za-z_$][\w$]*$/;

/** A 64-bit integer, which a double cannot hold: a bigint in results. */
const isUint64 = ({ type, maximum }: JsonSchema): boolean => type === 'integer' && maximum === UINT64_MAXIMUM;

/** A property name, quoted if necessary. */
export const quoted = (name: string): string => (NAME.test(name) ? name : literal(name));

/** A JSON value as a TypeScript literal. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return `'${JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, each]) => `${quoted(name)}: ${literal(each)}`);
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}

/** A doc comment; lines cannot end it. */
export function comment(lines: readonly string[], indent: string): string {
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'));
  if (safe.length === 0) return '';
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`;
  return `${indent}/**\n${safe.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

const schemasOf = (value: unknown): readonly JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);

function scalar(schema: JsonSchema, direction: Direction): string {
  const { type, maximum } = schema;
  if (type === 'integer' && direction === 'result') return isUint64(schema) ? 'bigint' : 'number';
  // A slot that a result gave as a bigint is accepted.
  if (type === 'integer') return maximum === Number.MAX_SAFE_INTEGER ? 'number | bigint' : 'number';
  return ['string', 'number', 'boolean', 'null'].includes(String(type)) ? String(type) : 'unknown';
}

function arrayType(schema: JsonSchema, direction: Direction, indent: string): string {
  const mark = direction === 'input' ? 'readonly ' : '';
  const { prefixItems, minItems = 0 } = schema as { prefixItems?: unknown; minItems?: number };
  if (prefixItems) {
    const items = schemasOf(prefixItems).map((item, at) => {
      const text = typeText(item, direction, indent);
      return at < minItems ? text : `(${text})?`;
    });
    return `${mark}[${items.join(', ')}]`;
  }
  const items = (schema.items ?? {}) as JsonSchema;
  const item = typeText(items, direction, indent);
  const isUnion = Boolean(items.anyOf ?? items.enum) || item === 'number | bigint';
  return `${mark}${isUnion ? `(${item})` : item}[]`;
}

/** The members of an object's schema, one per line, with their descriptions. */
function membersText(schema: JsonSchema, direction: Direction, indent: string): string {
  const required = (schema.required ?? []) as readonly string[];
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    .map(([name, each]) => {
      const isRequired = required.includes(name);
      const described = typeof each.description === 'string' ? [each.description] : [];
      const type = typeText(each, direction, indent) + (isRequired || direction === 'result' ? '' : ' | undefined');
      return `${comment(described, indent)}${indent}${quoted(name)}${isRequired ? '' : '?'}: ${type};\n`;
    })
    .join('');
}

/** A schema as a TypeScript type. */
export function typeText(schema: JsonSchema, direction: Direction, indent = ''): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  if ('const' in schema) return literal(schema.const);
  if (schema.anyOf) {
    return [...new Set(schemasOf(schema.anyOf).map((each) => typeText(each, direction, indent)))].join(' | ');
  }
  if (schema.type === 'array') return arrayType(schema, direction, indent);
  if (schema.type !== 'object') return scalar(schema, direction);
  const members = membersText(schema, direction, `${indent}  `);
  return members === '' ? 'Record<string, unknown>' : `{\n${members}${indent}}`;
}

/** Paths of 64-bit integers in a schema: names joined by dots, `*` for list items. */
export function uint64Paths(schema: JsonSchema, path: readonly string[] = []): string[] {
  if (isUint64(schema)) return [path.join('.')];
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const below = [
    ...members.flatMap(([name, each]) => uint64Paths(each, [...path, name])),
    ...(schema.items ? uint64Paths(schema.items as JsonSchema, [...path, '*']) : []),
    ...schemasOf(schema.anyOf).flatMap((each) => uint64Paths(each, path)),
  ];
  return [...new Set(below)];
}
