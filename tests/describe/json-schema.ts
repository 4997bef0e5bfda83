import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The keywords of JSON Schema that the route table uses. */
export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly description?: string;
}

/** The published schema: plain JSON. */
export const published = (schema: unknown): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

// Another library than the one that made the schemas and validates in the gateway.
const ajv = new Ajv2020({ allErrors: true, strict: false, code: { optimize: false } });
const validators = new WeakMap<JsonSchema, ValidateFunction>();
/** Cached by text. */
const compiled = new Map<string, ValidateFunction>();

function validatorOf(schema: JsonSchema): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const text = JSON.stringify(schema);
  const validator = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, validator);
  validators.set(schema, validator);
  return validator;
}

/** Whether a value fits a schema. */
export const fits = (schema: JsonSchema, value: unknown): boolean => validatorOf(schema)(value);

/** Where a value does not fit a schema. */
export function faultsOf(schema: JsonSchema, value: unknown): string[] {
  const validate = validatorOf(schema);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}
