/** How to call a method. */
export interface MethodRow {
  /** Path with `:name` for each value. `:cluster` and `:provider` come from the settings. */
  readonly path: string;
  readonly access: string;
  readonly post?: boolean;
  /** How the arguments after those of the path are sent; undefined if there are none. */
  readonly takes?: string;
  /** Paid rows: each `<cluster>/<provider>` that serves it, or `<cluster>`. */
  readonly served?: readonly string[];
  /** Paths of the 64-bit numbers in the result. */
  readonly uint64?: readonly string[];
  /** The body is the result, without an envelope. */
  readonly bare?: boolean;
}

/** Methods of a family by name. */
export type MethodRows = Readonly<Record<string, MethodRow>>;

/** Methods by family and name. */
export type MethodTable = Readonly<Record<string, MethodRows>>;
