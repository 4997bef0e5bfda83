import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type JsonSchemaType,
  type ServerContext,
  type StandardSchemaWithJSON,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';

/** The context of one tool call. */
export interface ToolContext {
  /** Whether the host can ask its user. */
  readonly canAsk: boolean;
  /** Whether the host understands results that ask for an x402 payment. */
  readonly hasExtension: boolean;
  readonly request: ServerContext['mcpReq'];
}

/** A tool of this server. */
export interface ServedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The JSON Schema of an object. */
  readonly inputSchema: object;
  readonly annotations: ToolAnnotations;
  call(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<CallToolResult | InputRequiredResult>;
}

/** Annotations of a free tool. */
export const FREE = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true } as const;

/** Annotations of a tool that pays. It is not read-only, so that hosts ask before a call. */
export const PAID = { ...FREE, readOnlyHint: false, idempotentHint: false } as const;

/** Annotations of a tool that sends no request. */
export const LOCAL = { ...FREE, openWorldHint: false } as const;

/** Returns the JSON Schema of a tool's arguments. */
export const inputOf = (required: readonly string[], properties: object): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** A tool's arguments by name. */
type Arguments = Record<string, unknown>;

/** Validates a tool's arguments. */
type ArgumentSchema = StandardSchemaWithJSON<Arguments, Arguments>;

/** Returns a validator for a JSON Schema, compiled at its first use. Compiling all of them would take a third of a start. */
export function argumentSchema(schema: object): ArgumentSchema {
  const json = (): Arguments => schema as Arguments;
  let compiled: ArgumentSchema | undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'asset-gateway',
      jsonSchema: { input: json, output: json },
      validate(value) {
        compiled ??= fromJsonSchema<Arguments>(schema as JsonSchemaType);
        return compiled['~standard'].validate(value);
      },
    },
  };
}
