import {
  type Cluster,
  dollars,
  positionalParameters,
  priceMicros,
  RATES,
  type Route,
  routes,
  type Surface,
  type UpstreamProvider,
} from '@asset-gateway/protocol';
import type { Full } from './call.ts';
import type { GatewayClient } from './client.ts';
import { parseReadable } from './exact-json.ts';

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
function inputSchemaOf(row: Route): ToolSchema {
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
function argumentsFrom(row: Route, input: unknown): unknown[] {
  const values = (input ?? {}) as Readonly<Record<string, unknown>>;
  const positional = positionalParameters(row);
  if (positional) return positional.map(({ name }) => values[name]);
  const inPath = Object.keys(row.input.path?.properties ?? {});
  const rest = Object.entries(values).filter(([name]) => !inPath.includes(name));
  return [...inPath.map((name) => values[name]), ...(objectOf(row) ? [Object.fromEntries(rest)] : [])];
}

/** The published price of a call in dollars; undefined if it is free. */
function priceOf(row: Route): string | undefined {
  const micros = priceMicros(row, { rates: RATES, surchargeMicros: 0 });
  return micros > 0 ? dollars(micros) : undefined;
}

/** The description of a tool for a model. */
function describeTool(row: Route): string {
  const usd = priceOf(row);
  const price = usd === undefined ? 'Free.' : `Costs $${usd} a call.`;
  return [row.description, ...row.rules.map(({ description }) => description), price].join(' ');
}

/** The annotations of MCP. */
export interface ToolAnnotations {
  readonly title: string;
  /** False for a tool that pays: hosts that allow read-only tools without asking must ask for it. */
  readonly readOnlyHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: true;
}

/** A signal of the host that aborts the call. */
export interface ToolOptions {
  readonly signal?: AbortSignal | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A method of the gateway as a tool of a language model. */
export interface Tool {
  /** `<family>_<method>`, letters, digits and underscores. */
  readonly name: string;
  /** The result, the rules of the input, and the price. */
  readonly description: string;
  /** The JSON Schema of the input, which is also a Standard JSON Schema. */
  readonly inputSchema: ToolSchema;
  readonly annotations: ToolAnnotations;
  /** The published price of a call in dollars; undefined if it is free. */
  readonly priceUsd: string | undefined;
  /** Calls the gateway. Returns the result as plain JSON, with integers of 16 and more digits as strings. */
  execute(input: unknown, options?: ToolOptions): Promise<unknown>;
  /** Like `execute`, with the text, price and transaction of the answer. */
  full(input: unknown, options?: ToolOptions): Promise<Full<unknown>>;
}

/** Chooses the tools. */
export interface ToolsOptions {
  /** Families of methods; default: tokens, rpc, das and wallet. */
  readonly families?: readonly Surface[];
  readonly cluster?: Cluster;
  readonly provider?: UpstreamProvider;
}

type Methods = Readonly<Record<string, (...values: unknown[]) => ReturnType<GatewayClient['tokens']['health']>>>;

const FAMILIES: readonly Surface[] = ['tokens', 'rpc', 'das', 'wallet'];

/** The methods of a client as tools: for the AI SDK, LangChain, MCP, and the interfaces of model providers. */
export function createTools(client: GatewayClient, options: ToolsOptions = {}): readonly Tool[] {
  const { families = FAMILIES, cluster = 'mainnet', provider } = options;
  const chosen = { cluster, ...(provider && { provider }) };
  const rows = new Map(
    routes
      .filter((row) => families.includes(row.surface as Surface) && (row.cluster ?? cluster) === cluster)
      .filter((row) => row.access !== 'exact' || (provider ?? row.provider) === row.provider)
      .map((row) => [`${row.surface}_${row.id.slice(row.id.lastIndexOf('.') + 1)}`, row]),
  );
  const answerTo = async (name: string, row: Route, input: unknown, { signal, abortSignal }: ToolOptions) => {
    const given = signal ?? abortSignal;
    const there = client.with({ ...chosen, ...(given && { signal: given }) });
    const methods = there[row.surface as Surface] as unknown as Methods;
    const method = methods[name.slice(name.indexOf('_') + 1)] as Methods[string];
    const full = await method(...argumentsFrom(row, input)).full();
    const result = typeof full.result === 'string' ? full.result : parseReadable(full.text, row.surface === 'system');
    return { ...full, result };
  };
  return [...rows].map(([name, row]) => ({
    name,
    description: describeTool(row),
    inputSchema: inputSchemaOf(row),
    priceUsd: priceOf(row),
    annotations: {
      title: row.description,
      readOnlyHint: priceOf(row) === undefined,
      idempotentHint: priceOf(row) === undefined,
      openWorldHint: true,
    },
    execute: async (input, options = {}) => (await answerTo(name, row, input, options)).result,
    full: (input, options = {}) => answerTo(name, row, input, options),
  }));
}
