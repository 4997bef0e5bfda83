import { dollars, positionalParameters, priceMicros, RATES, type Route } from '@asset-gateway/protocol';

type JsonSchema = Readonly<Record<string, unknown>>;

/** A JSON Schema of an object that is also a Standard Schema. */
export interface ToolSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
  /** Not enumerable, so not part of its JSON. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'asset-gateway';
    /** Accepts everything: the gateway validates and reports all issues. */
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: Readonly<Record<'input' | 'output', () => Record<string, unknown>>>;
  };
}

/** Keywords that the gateway enforces and a model need not read. */
const LEFT_OUT = ['pattern', 'not'];

/** A schema as plain data without those keywords. Names of properties are kept, whatever they are. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !LEFT_OUT.includes(keyword))
      .map(([keyword, value]) => {
        if (keyword !== 'properties') return [keyword, plain(value)];
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]))];
      }),
  );
}

/** The schema of a row's last argument, if it is an object. */
const objectOf = ({ input }: Route) =>
  (input.query ?? input.body?.properties.params ?? input.body) as
    | { properties?: Readonly<Record<string, JsonSchema>>; required?: readonly string[] }
    | undefined;

/** Makes a schema a Standard JSON Schema too. */
function asStandard(schema: Omit<ToolSchema, '~standard'>): ToolSchema {
  const jsonSchema = () => structuredClone({ ...schema });
  const value: ToolSchema['~standard'] = {
    version: 1,
    vendor: 'asset-gateway',
    validate: (value) => ({ value }),
    jsonSchema: { input: jsonSchema, output: jsonSchema },
  };
  return Object.defineProperty(schema, '~standard', { value, enumerable: false }) as ToolSchema;
}

/** The input schema of a tool: all arguments of its row by name. */
export function inputSchemaOf(row: Route): ToolSchema {
  const positional = positionalParameters(row);
  const object = objectOf(row);
  const named = positional
    ? positional.map(({ name, schema }) => [name, schema] as const)
    : [...Object.entries(row.input.path?.properties ?? {}), ...Object.entries(object?.properties ?? {})];
  const required = positional
    ? positional.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    : [...Object.keys(row.input.path?.properties ?? {}), ...(object?.required ?? [])];
  const properties = plain({ properties: Object.fromEntries(named) }) as Pick<ToolSchema, 'properties'>;
  return asStandard({ type: 'object', ...properties, required, additionalProperties: false });
}

/** The arguments of a method from the input of its tool. */
export function argumentsFrom(row: Route, input: unknown): unknown[] {
  const values = (input ?? {}) as Readonly<Record<string, unknown>>;
  const positional = positionalParameters(row);
  if (positional) return positional.map(({ name }) => values[name]);
  const inPath = Object.keys(row.input.path?.properties ?? {});
  const rest = Object.entries(values).filter(([name]) => !inPath.includes(name));
  return [...inPath.map((name) => values[name]), ...(objectOf(row) ? [Object.fromEntries(rest)] : [])];
}

/** The published price of a call in dollars; undefined if it is free. */
export function priceOf(row: Route): string | undefined {
  const micros = priceMicros(row, { rates: RATES, surchargeMicros: 0 });
  return micros > 0 ? dollars(micros) : undefined;
}

/** The description of a tool for a model. */
export function describeTool(row: Route): string {
  const usd = priceOf(row);
  const price = usd === undefined ? 'Free.' : `Costs $${usd} a call.`;
  return [row.description, ...row.rules.map(({ description }) => description), price].join(' ');
}
