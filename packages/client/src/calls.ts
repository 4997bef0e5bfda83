/** Values of a call by parameter. */
type Values = Readonly<Record<string, unknown>>;

/**
 * The calls of a gateway by name, with `input` and `result`. `asset-gateway-client types <url>` writes a file that adds them; without
 * one, every name and every value compiles.
 */
export interface Calls extends Record<never, never> {}

/** A name of `client.call`: `<surface>.<method>` in the gateway's catalog. */
export type CallName = [keyof Calls] extends [never] ? string : keyof Calls & string;

/** The values of a call; they may be left out if none is required. */
export type CallValues<Name extends CallName> = Name extends keyof Calls
  ? Calls[Name] extends { readonly input: infer Input }
    ? Record<never, never> extends Input
      ? [values?: Input]
      : [values: Input]
    : []
  : [values?: Values];

/** The result of a call. */
export type CallResult<Name extends CallName> = Name extends keyof Calls
  ? Calls[Name] extends { readonly result: infer Result }
    ? Result
    : unknown
  : unknown;
