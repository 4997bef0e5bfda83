/**
 * The methods of a client as tools of language models. Begin with {@link createTools}; the other functions are for programs that build
 * forms or tools from a catalog.
 * @packageDocumentation
 */
import {
  type Cluster,
  DEFAULT_PRICING,
  dollars,
  listMicros,
  objectAt,
  oneLine,
  positionalParameters,
  priceMicros,
  priceText,
  type Route,
  routes,
  type Surface,
  type UpstreamProvider,
} from '@asset-gateway/protocol';
import type { Full } from './call.ts';
import { type ListedRoute, listedMicros } from './catalog.ts';
import type { GatewayClient } from './client.ts';
import { type CallParameter, callableRow, callName, callParameters, isOpen } from './listed-call.ts';
import { parseReadable } from './lossless-json.ts';
import { createShortener } from './tool-names.ts';

export type { Property } from './input-schema.ts';
export {
  type CallableRoute,
  type CallParameter,
  type CallRequest,
  callableRow,
  callName,
  callParameters,
  isOpen,
  requestFor,
} from './listed-call.ts';

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of a tool's input. It is also a Standard JSON Schema. */
export interface ToolSchema {
  /** The type of every input. */
  readonly type: 'object';
  /** The schema of each parameter. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** The parameters that every call needs. */
  readonly required: readonly string[];
  /** Whether a call accepts other members. */
  readonly additionalProperties: boolean;
  /** The interface of Standard Schema. JSON omits it, because it is not enumerable. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'asset-gateway';
    /** Accepts all values, because the gateway validates and reports all issues. */
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: Readonly<Record<'input' | 'output', () => Record<string, unknown>>>;
  };
}

/** Keywords that the gateway enforces and a model need not read. A host would run their patterns, which could backtrack for ever. */
const LEFT_OUT = ['pattern', 'patternProperties', 'not'];

const MAX_DEPTH = 40;
const MAX_TEXT = 1_000;

/** Returns a schema as plain data, without those keywords and hidden characters. Keeps all property names. */
function plain(schema: unknown, depth = 0): unknown {
  if (typeof schema === 'string') return oneLine(schema, MAX_TEXT);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (depth > MAX_DEPTH) return {};
  const inside = (value: unknown) => plain(value, depth + 1);
  if (Array.isArray(schema)) return schema.map(inside);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !LEFT_OUT.includes(keyword))
      .map(([keyword, value]) => {
        if (keyword !== 'properties' || typeof value !== 'object' || value === null) return [keyword, inside(value)];
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inside(each)]))];
      }),
  );
}

/** Makes a schema also a Standard JSON Schema. */
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

/** Returns the input schema of a tool. */
const inputSchemaOf = (parameters: readonly CallParameter[], additionalProperties = false): ToolSchema =>
  asStandard({
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, plain(schema) as JsonSchema])),
    required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties,
  });

/** Returns a method's arguments, from its tool's input. */
function argumentsFrom(row: Route, input: unknown): unknown[] {
  const values = objectAt(input);
  const positional = positionalParameters(row);
  if (positional) return positional.map(({ name }) => values[name]);
  const inPath = Object.keys(row.input.path?.properties ?? {});
  const rest = Object.entries(values).filter(([name]) => !inPath.includes(name));
  const hasObject = row.input.query !== undefined || row.input.body !== undefined;
  return [...inPath.map((name) => values[name]), ...(hasObject ? [Object.fromEntries(rest)] : [])];
}

/** A tool's annotations in MCP. */
export interface ToolAnnotations {
  /** The title that a host shows to people. */
  readonly title: string;
  /** False for a tool that pays. Some hosts allow read-only tools without asking, but a payment needs the user's consent. */
  readonly readOnlyHint: boolean;
  /** False for a tool that pays, because a second call costs again. */
  readonly idempotentHint: boolean;
  /** Answers come from outside the host. */
  readonly openWorldHint: true;
}

/** How a host aborts a call. */
export interface ToolOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Also aborts the call. The AI SDK uses this name. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** A gateway method as a tool for a language model. */
export interface Tool {
  /** `<family>_<method>` in letters, digits and underscores. */
  readonly name: string;
  /** The result, the input's rules, and the price. */
  readonly description: string;
  /** The JSON Schema of the input, which is also a Standard JSON Schema. */
  readonly inputSchema: ToolSchema;
  /** Hints for hosts. */
  readonly annotations: ToolAnnotations;
  /** The published price of a call with a settlement of its own, in dollars; undefined if free. */
  readonly priceUsd: string | undefined;
  /** The published price of a call from credit, in dollars; undefined if the call is free or credit cannot pay for it. */
  readonly creditPriceUsd: string | undefined;
  /**
   * Calls the gateway.
   * @param input the parameters; the gateway validates them
   * @param options the host's signal
   * @returns the result as plain JSON, with integers of 16 and more digits as strings
   * @throws GatewayError with a message that says what to do next
   */
  execute(input: unknown, options?: ToolOptions): Promise<unknown>;
  /**
   * Calls the gateway like `execute`. Returns the result with the answer's text, price and transaction.
   * @param input the parameters; the gateway validates them
   * @param options the host's signal
   * @throws GatewayError with a message that says what to do next
   */
  full(input: unknown, options?: ToolOptions): Promise<Full<unknown>>;
}

/** Which methods become tools. */
export interface ToolsOptions {
  /** Families of methods; default: tokens, rpc, das and wallet. */
  readonly families?: readonly Surface[];
  /** The cluster that serves paid tools, and on which they pay; default: mainnet. */
  readonly cluster?: Cluster;
  /** The provider of paid tools; default: the client's choice. */
  readonly provider?: UpstreamProvider;
  /** Routes of the gateway's catalog (`routesIn`), with its prices. Routes of the operator's APIs become tools too. */
  readonly listed?: readonly ListedRoute[];
}

type MethodsByName = Readonly<Record<string, (...values: unknown[]) => ReturnType<GatewayClient['tokens']['health']>>>;

const FAMILIES: readonly Surface[] = ['tokens', 'rpc', 'das', 'wallet'];

/** The route of a tool, and its text for a model. */
interface ToolSource extends Pick<Tool, 'name' | 'inputSchema' | 'priceUsd' | 'creditPriceUsd'> {
  readonly title: string;
  /** The result, and the input's rules. */
  readonly about: string;
  readonly isBare: boolean;
  readonly call: (client: GatewayClient, input: unknown) => { full(): Promise<Full<unknown>> };
}

function toolOf(client: GatewayClient, source: ToolSource): Tool {
  const { name, inputSchema, title, about, priceUsd, creditPriceUsd, isBare, call } = source;
  const isFree = priceUsd === undefined;
  const full: Tool['full'] = async (input, { signal, abortSignal } = {}) => {
    const given = signal ?? abortSignal;
    const answer = await call(given ? client.with({ signal: given }) : client, input).full();
    const result = typeof answer.result === 'string' ? answer.result : parseReadable(answer.text, isBare);
    return { ...answer, result };
  };
  return {
    name,
    description: `${about} ${isFree ? 'Free.' : `Costs ${priceText({ priceUsd, creditPriceUsd }, ' a call')}.`}`,
    inputSchema,
    priceUsd,
    creditPriceUsd,
    annotations: { title, readOnlyHint: isFree, idempotentHint: isFree, openWorldHint: true },
    execute: async (input, options) => (await full(input, options)).result,
    full,
  };
}

/** Returns a row's prices from the catalog if given, else those of a gateway with default settings. */
function pricesOf(row: Route, listed: readonly ListedRoute[]): Pick<Tool, 'priceUsd' | 'creditPriceUsd'> {
  if (row.units === undefined) return { priceUsd: undefined, creditPriceUsd: undefined };
  const [priceUsd, creditPriceUsd] = [priceMicros(row, DEFAULT_PRICING), listMicros(row, DEFAULT_PRICING)].map(dollars);
  return listed.find(({ path }) => path === row.path) ?? { priceUsd, creditPriceUsd };
}

function sourceOf(name: string, row: Route, listed: readonly ListedRoute[]): ToolSource {
  const { priceUsd, creditPriceUsd } = pricesOf(row, listed);
  return {
    name,
    title: row.description,
    about: [row.description, ...row.rules.map(({ description }) => description)].join(' '),
    inputSchema: inputSchemaOf(callParameters(callableRow(row))),
    priceUsd,
    creditPriceUsd,
    isBare: row.surface === 'system',
    call(client, input) {
      const methods = Reflect.get(client, row.surface) as MethodsByName;
      return (methods[name.slice(name.indexOf('_') + 1)] as MethodsByName[string])(...argumentsFrom(row, input));
    },
  };
}

const isOurs = (surface: string): boolean => surface === 'credit' || routes.some((row) => row.surface === surface);

/**
 * Returns the routes of the operator's own APIs.
 * @param listed the routes of a catalog
 */
export const apiRoutes = (listed: readonly ListedRoute[]): ListedRoute[] =>
  listed.filter(({ surface, method }) => surface !== '' && method !== '' && !isOurs(surface));

const listedSource = (route: ListedRoute, name: string): ToolSource => ({
  name,
  title: route.description,
  about: route.description,
  inputSchema: inputSchemaOf(callParameters(route), isOpen(route)),
  priceUsd: listedMicros(route) === 0 ? undefined : route.priceUsd,
  creditPriceUsd: route.creditPriceUsd,
  isBare: false,
  call: (client, input) => client.call(callName(route), objectAt(input)),
});

/**
 * Returns the methods of a client as tools: for the AI SDK, LangChain, MCP, and the interfaces of model providers. The payer's caps
 * limit what a model spends.
 * @param client the client that the tools call
 * @param options which methods become tools; default: all of asset data, RPC, DAS and wallets on mainnet
 * @example
 * const tools = createTools(client, { families: ['tokens'] });
 * await generateText({ model, prompt, tools: Object.fromEntries(tools.map((each) => [each.name, each])) });
 */
export function createTools(client: GatewayClient, options: ToolsOptions = {}): readonly Tool[] {
  const { families = FAMILIES, cluster = 'mainnet', provider, listed = [] } = options;
  const there = client.with({ cluster, ...(provider && { provider }) });
  const ours = routes
    .filter((row) => families.includes(row.surface as Surface) && (row.cluster ?? cluster) === cluster)
    .filter((row) => row.access !== 'exact' || (provider ?? row.provider) === row.provider)
    .map((row) => sourceOf(`${row.surface}_${row.id.slice(row.id.lastIndexOf('.') + 1)}`, row, listed));
  const sources = new Map(ours.map((source) => [source.name, source]));
  const shorten = createShortener(new Set(sources.keys()));
  const served = apiRoutes(listed).filter((route) => route.cluster === '' || route.cluster === cluster);
  const theirs = [...new Map(served.map((route) => [callName(route), route])).values()].map((route) =>
    listedSource(route, shorten(`${route.surface}_${route.method}`)),
  );
  return [...sources.values(), ...theirs].map((source) => toolOf(there, source));
}
