/** What a client has to know of a method to ask for it. */
export interface MethodRow {
  /** Path, with `:name` for what stands for a value; `:cluster` and `:provider` are chosen. */
  readonly path: string;
  readonly access: string;
  readonly post?: boolean;
  /** What becomes of the arguments after those of the path; nothing is taken where it is absent. */
  readonly takes?: string;
  /** Paid rows: `<cluster>/<provider>` for each that serves it, or the cluster alone. */
  readonly served?: readonly string[];
  /** Where the result holds numbers of 64 bits. */
  readonly uint64?: readonly string[];
  /** The body is the result, without an envelope. */
  readonly bare?: boolean;
}

/** Methods of a family by their name. */
export type MethodRows = Readonly<Record<string, MethodRow>>;

/** Methods by family and name. */
export type MethodTable = Readonly<Record<string, MethodRows>>;
