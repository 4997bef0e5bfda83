import type { Entry } from './entry.ts';
import type { Answer } from './http-client.ts';

/** The documents that a gateway describes itself with. */
export type DocumentName = 'liveness' | 'catalog' | 'openapi' | 'wellKnown' | 'llms';

/** What any endpoint is asked. */
export interface Probe {
  readonly httpMethod: string;
  /** All verbs that its path takes, but for HEAD and OPTIONS. */
  readonly verbs: readonly string[];
  /** A plain request. */
  readonly plain: Answer;
  /** The same as HEAD, where the verb is GET. */
  readonly head?: Answer;
  /** The same with a verb that the path does not take. */
  readonly otherVerb: Answer;
  readonly preflight: Answer;
}

/** A document, and what becomes of asking for it again with its ETag. */
export interface DocumentProbe extends Probe {
  /** The value of its JSON; nothing when it is none. */
  readonly json: unknown;
  readonly again?: Answer;
}

/** A route of the catalog, asked without a signature and without a payment. */
export interface RouteProbe extends Probe {
  readonly entry: Entry;
  /** Its bare URL twice, then with the catalog's example; the first route of an access mode also with junk for a proof. */
  readonly unpaid: readonly Answer[];
}

/** What a provider's own list in the catalog has to say. */
export interface ProviderList {
  readonly id: string;
  readonly routeCount: unknown;
  readonly answer: Answer;
}

/** A gateway as it looks from outside: everything that was asked, and what was answered. */
export interface World {
  readonly origin: string;
  /** The complete entries of the catalog. */
  readonly entries: readonly Entry[];
  /** How many routes of the catalog were not looked at, because it lists too many. */
  readonly leftOut: number;
  readonly documents: Readonly<Record<DocumentName, DocumentProbe>>;
  /** Where the keys of receipts are, at a gateway that signs them. */
  readonly didDocument?: { readonly plain: Answer; readonly json: unknown };
  readonly providers: readonly ProviderList[];
  readonly routes: readonly RouteProbe[];
  /** A preflight that names the response header that the official browser client sends by mistake. */
  readonly officialPreflight: Answer | undefined;
  readonly strays: {
    readonly unknownPath: Answer;
    readonly unknownPreflight: Answer;
    readonly malformedPath: Answer;
    readonly unknownProvider: Answer;
  };
  /** What became of every request, in the order in which they ended. */
  readonly answers: readonly Answer[];
}

/** Everything that was asked of an endpoint. */
export const allProbes = ({ documents, routes }: World): readonly Probe[] => [...Object.values(documents), ...routes];

/** Each unpaid request to a route, with the route's entry, where it was answered at all. */
export const unpaidAnswers = ({ routes }: World): { readonly entry: Entry; readonly answer: Answer }[] =>
  routes.flatMap(({ entry, unpaid }) =>
    unpaid.filter(({ status }) => status !== 0).map((answer) => ({ entry, answer })),
  );
