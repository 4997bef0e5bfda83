import { type Cluster, type Route, routes, type Surface, type UpstreamProvider } from '@asset-gateway/protocol';
import type { Full } from './call.ts';
import type { GatewayClient } from './client.ts';
import { parseReadable } from './exact-json.ts';
import { argumentsFrom, describeTool, inputSchemaOf, priceOf, type ToolSchema } from './tool-row.ts';

export type { ToolSchema } from './tool-row.ts';

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
