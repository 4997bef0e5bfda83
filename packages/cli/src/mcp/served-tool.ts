import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';

/** What a tool is told of one call beside its input. */
export interface ToolContext {
  readonly signal: AbortSignal;
  /** Whether the host can ask its user. */
  readonly canAsk: boolean;
  readonly request: ServerContext['mcpReq'];
}

/** A tool as this server offers it. */
export interface ServedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: object;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  call(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<CallToolResult | InputRequiredResult>;
}

/** Of a tool that reads, at no cost. */
export const FREE = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true } as const;

/** Of a tool that reads and spends money: a host that lets reading pass unasked must not let this pass with it. */
export const PAID = { ...FREE, readOnlyHint: false, idempotentHint: false } as const;

/** Of a tool that asks nobody outside of this process. */
export const LOCAL = { ...FREE, openWorldHint: false } as const;
