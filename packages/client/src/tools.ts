import { type Cluster, type Route, routes, type Surface, type UpstreamProvider } from '@asset-gateway/protocol';
import type { Full } from './call.ts';
import type { GatewayClient } from './client.ts';
import { parseReadable } from './exact-json.ts';
import { argumentsFrom, describeTool, inputSchemaOf, priceOf, type ToolSchema } from './tool-row.ts';

export type { ToolSchema } from './tool-row.ts';

/** What a host may know of a tool without calling it, as MCP names it. */
export interface ToolAnnotations {
  readonly title: string;
  /** False for a tool that pays: a host that lets reading pass unasked must not let it pass. */
  readonly readOnlyHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: true;
}

/** What a host may give beside the input: one that gives a call up. */
export interface ToolOptions {
  readonly signal?: AbortSignal | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A method of the gateway as a tool of a language model. */
export interface Tool {
  /** `<family>_<method>`, letters, digits and underscores. */
  readonly name: string;
  /** What it answers, what it takes together, and what it costs. */
  readonly description: string;
  /** JSON Schema of the input, an object; a Standard JSON Schema as well. */
  readonly inputSchema: ToolSchema;
  readonly annotations: ToolAnnotations;
  /** Dollars that a call costs by the published rates; nothing for what is free. */
  readonly priceUsd: string | undefined;
  /** Calls the gateway; answers with the result as plain JSON, in which whole numbers of 16 digits and more are text. */
  execute(input: unknown, options?: ToolOptions): Promise<unknown>;
  /** The same with all that came with the answer: its text, price and transaction. */
  full(input: unknown, options?: ToolOptions): Promise<Full<unknown>>;
}

/** Which tools there are to be. */
export interface ToolsOptions {
  /** Families of methods; tokens, rpc, das and wallet unless told. */
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
      .filter((row) => families.includes(row.surface) && (row.cluster ?? cluster) === cluster)
      .filter((row) => row.access !== 'exact' || (provider ?? row.provider) === row.provider)
      .map((row) => [`${row.surface}_${row.id.slice(row.id.lastIndexOf('.') + 1)}`, row]),
  );
  const answerTo = async (name: string, row: Route, input: unknown, { signal, abortSignal }: ToolOptions) => {
    const given = signal ?? abortSignal;
    const there = client.with({ ...chosen, ...(given && { signal: given }) });
    const methods = there[row.surface] as unknown as Methods;
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
