import { fromJsonSchema, type JsonSchemaType, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';

/** The arguments of a tool by name. */
type Arguments = Record<string, unknown>;

/** What a tool checks its arguments with. */
export type ArgumentSchema = StandardSchemaWithJSON<Arguments, Arguments>;

/** Reads a JSON Schema. It is compiled with the first call that it checks: all of them would take a third of a start. */
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
