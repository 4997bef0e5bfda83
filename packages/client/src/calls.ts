/**
 * The calls of a gateway by name, each with the types `input` and `result`. `asset-gateway-client types <url>` writes a file that adds a
 * gateway's calls. Without such a file, every name and every value compiles.
 */
export interface Calls extends Record<never, never> {}

/** A name for `client.call`: `<surface>.<method>` in the gateway's catalog. */
export type CallName = [keyof Calls] extends [never] ? string : keyof Calls & string;

/** The second argument of `client.call`. It is optional if no value is required. */
export type CallValues<Name extends CallName> = Name extends keyof Calls
  ? Calls[Name] extends { readonly input: infer Input }
    ? Record<never, never> extends Input
      ? [values?: Input]
      : [values: Input]
    : []
  : [values?: Readonly<Record<string, unknown>>];

/** The result of `client.call`; `unknown` for a name without types. */
export type CallResult<Name extends CallName> = Name extends keyof Calls
  ? Calls[Name] extends { readonly result: infer Result }
    ? Result
    : unknown
  : unknown;
