import {
  comment,
  literal,
  positionalParameters,
  priceText,
  quoted,
  type Route,
  typeText,
  uint64Paths,
} from '@asset-gateway/protocol';
import { type JsonSchema, published } from './schemas.ts';
import { capital, type Priced, pricesOf } from './service.ts';
import texts from './texts.json' with { type: 'json' };

/** A client method and its rows, one for each cluster and provider. */
interface ClientMethod {
  readonly surface: string;
  readonly name: string;
  readonly rows: readonly [Route, ...Route[]];
}

const HEAD = `// Written by the build from the route table. Do not edit.
/**
 * The methods of a client by family, and the types of their parameters and results. Each method returns a {@link Call}.
 * @packageDocumentation
 */
import type { Call, MethodRows, MethodTable } from './call.ts';
`;

const typeName = ({ surface, name }: ClientMethod, kind: string): string =>
  `${capital(surface)}${capital(name)}${kind}`;

/** Returns all methods, in the order of the table. */
export function methodsOf(routes: readonly Route[]): readonly ClientMethod[] {
  const methods = new Map<string, ClientMethod>();
  for (const route of routes) {
    const name = route.id.slice(route.id.lastIndexOf('.') + 1);
    const key = `${route.surface}.${name}`;
    const known = methods.get(key);
    const rows = known ? ([...known.rows, route] as const) : ([route] as const);
    methods.set(key, { surface: route.surface, name, rows: rows as ClientMethod['rows'] });
  }
  return [...methods.values()];
}

/** Returns how a call's arguments are sent. */
function takes({ input, credit }: Route): string | undefined {
  if (credit === 'sold') return 'amount';
  if (input.query) return 'query';
  const params = input.body?.properties?.params as JsonSchema | undefined;
  if (params) return params.prefixItems ? 'params' : 'named';
  return input.body ? 'body' : undefined;
}

/** Returns a type for the choice among members. It is intersected with the object's type. */
function choiceText({ rules }: Route, schema: JsonSchema): string {
  const { of, isExclusive } = rules.find(({ choice }) => choice)?.choice ?? { of: [], isExclusive: false };
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  if (of.length === 0 || !of.every((name) => properties[name])) return '';
  const alternatives = of.map((name) => {
    const given = `${quoted(name)}: ${typeText(properties[name] ?? {}, 'input')}`;
    const others = of.filter((other) => other !== name).map((other) => `; ${quoted(other)}?: undefined`);
    return `{ ${given}${isExclusive ? others.join('') : ''} }`;
  });
  return ` & (${alternatives.join(' | ')})`;
}

const inputText = (route: Route, schema: JsonSchema, indent = ''): string =>
  typeText(schema, 'input', indent) + choiceText(route, schema);

/** Returns the schema of the last argument, if it is an object. */
function objectOf({ input }: Route): JsonSchema | undefined {
  const object = input.query ?? input.body?.properties?.params ?? input.body;
  const schema = object && published(object as typeof input.body & object);
  return schema?.properties && Object.keys(schema.properties).length > 0 ? schema : undefined;
}

/** Returns a method's arguments. */
function argumentsOf(method: ClientMethod) {
  const [row] = method.rows;
  if (takes(row) === 'amount')
    return [
      { name: 'amount', type: '{ usd: number }', isRequired: false, about: 'Dollars; default: the smallest amount.' },
    ];
  const positional = positionalParameters(row)?.map(({ name, isRequired, schema }) => ({
    name,
    type: schema.type === 'object' ? inputText(row, schema, '  ') : typeText(schema, 'input'),
    isRequired,
    about: schema.description,
  }));
  if (positional) return positional;
  const inPath = Object.entries(row.input.path?.properties ?? {}).map(([name, schema]) => {
    const { description: about } = schema as JsonSchema;
    return { name, type: typeText(schema as JsonSchema, 'input'), isRequired: true, about };
  });
  const object = objectOf(row);
  const isRequired =
    ((object?.required as readonly string[]) ?? []).length > 0 || row.rules.some((rule) => rule.choice);
  const about = inPath.length > 0 ? 'The other parameters by name.' : 'The parameters by name.';
  return object ? [...inPath, { name: 'input', type: inputText(row, object), isRequired, about }] : inPath;
}

/** Returns a row's example arguments, as source text. */
function exampleArguments(row: Route): string[] {
  const { path = {}, query, body } = row.example;
  const params: unknown = body?.params;
  if (takes(row) === 'amount') return [];
  if (Array.isArray(params)) return params.map(literal);
  const object = query ?? params ?? body;
  return [...Object.values(path), ...(object === undefined ? [] : [object])].map(literal);
}

function priceNote({ rows }: ClientMethod, service: Priced): string {
  if (rows[0].access !== 'exact') return rows[0].access === 'siwx' ? 'Free, for a signature.' : 'Free.';
  if (rows[0].credit === 'sold') return 'Choose one of the amounts that the gateway sells.';
  const prices = new Map(rows.map((row) => [row.provider, priceText(pricesOf(row, service), ' a call')]));
  if (new Set(prices.values()).size === 1) return `${[...prices.values()][0]}.`;
  return `${[...prices].map(([provider, price]) => `By ${provider}: ${price}`).join('. ')}.`;
}

const aboutFamily = (surface: string, indent: string): string =>
  comment([texts.surfaces[surface as keyof typeof texts.surfaces]], indent);

function signature(method: ClientMethod, service: Priced): string {
  const [row] = method.rows;
  const written = `${method.surface}.${method.name}(${exampleArguments(row).join(', ')})`;
  const given = argumentsOf(method);
  const described = given.map(({ name, about }) => `@param ${name} ${about}`);
  const lines = [row.description, '', priceNote(method, service), ...described, '@example', `await client.${written}`];
  const parameters = given.map(({ name, type, isRequired }) => {
    const isNamed = type.startsWith('{') && name === 'input';
    return `${name}${isRequired ? '' : '?'}: ${isNamed ? typeName(method, 'Input') : type}`;
  });
  return `${comment(lines, '  ')}  ${method.name}(${parameters.join(', ')}): Call<${typeName(method, 'Result')}>;\n`;
}

function typesOf(method: ClientMethod): string {
  const [row] = method.rows;
  const input = argumentsOf(method).find(({ name, type }) => name === 'input' && type.startsWith('{'));
  const result = typeText(published(row.result.schema), 'result');
  const typed = (kind: string, about: string, type: string) =>
    `${comment([`${about} of \`client.${method.surface}.${method.name}\`.`], '')}export type ${typeName(method, kind)} = ${type};\n`;
  return [...(input ? [typed('Input', 'The parameters', input.type)] : []), typed('Result', 'The result', result)].join(
    '\n',
  );
}

/** Returns a method's entry in the client's table. */
function rowText({ surface, name, rows }: ClientMethod): string {
  const [{ path, access, cluster, provider, result, httpMethod }] = rows;
  const template = path.replace(`/solana/${cluster}/${provider}/`, '/solana/:cluster/:provider/');
  const isSold = rows[0].credit === 'sold';
  const served = rows.map((row) => (isSold ? row.cluster : `${row.cluster}/${row.provider}`));
  const uint64 = uint64Paths(published(result.schema));
  return `  ${name}: ${literal({
    path: isSold ? path.replace(`/${cluster}`, '/:cluster') : template,
    access,
    ...(httpMethod === 'POST' && { isPost: true }),
    ...(takes(rows[0]) && { takes: takes(rows[0]) }),
    ...(cluster && { served }),
    ...(uint64.length > 0 && { uint64 }),
    ...(surface === 'system' && { isBare: true }),
  })},\n`;
}

/** Returns the client's typed methods, as a TypeScript file. */
export function clientMethods(routes: readonly Route[], service: Priced): string {
  const methods = methodsOf(routes);
  const surfaces = [...new Set(methods.map(({ surface }) => surface))];
  const of = (surface: string) => methods.filter((method) => method.surface === surface);
  const interfaces = surfaces.map((surface) => {
    const signatures = of(surface).map((method) => signature(method, service));
    return `${aboutFamily(surface, '')}export interface ${capital(surface)}Methods {\n${signatures.join('\n')}}\n`;
  });
  const free = surfaces.filter((surface) => of(surface).every(({ rows: [row] }) => row.access !== 'exact'));
  const family = (surface: string) =>
    `${aboutFamily(surface, '  ')}  readonly ${surface}: ${capital(surface)}Methods;\n`;
  const all = surfaces.map(family).join('');
  const tables = surfaces.map((surface) => {
    const rows = of(surface).map(rowText).join('');
    return `const ${surface}: MethodRows = {\n${rows}};\n`;
  });
  return [
    HEAD,
    ...methods.map(typesOf),
    ...interfaces,
    `/** All methods, by family. */\nexport interface Methods {\n${all}}\n`,
    ...tables,
    `/** @internal */\nexport const FREE_METHODS: MethodTable = { ${free.join(', ')} };\n`,
    `/** @internal */\nexport const METHODS: MethodTable = { ${surfaces.join(', ')} };\n`,
  ].join('\n');
}
