import type { Entry } from './entry.ts';
import type { Answer } from './http-client.ts';

/** The documents that describe a gateway. */
export type DocumentName = 'liveness' | 'catalog' | 'openapi' | 'wellKnown' | 'llms';

/** The requests to an endpoint. */
export interface Probe {
  readonly httpMethod: string;
  /** All verbs of its path except HEAD and OPTIONS. */
  readonly verbs: readonly string[];
  /** A plain request. */
  readonly plain: Answer;
  /** The HEAD request, if the verb is GET. */
  readonly head?: Answer;
  /** A request with a verb that the path does not support. */
  readonly otherVerb: Answer;
  readonly preflight: Answer;
}

/** A document, and a request for it with its ETag. */
export interface DocumentProbe extends Probe {
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  readonly again?: Answer;
}

/** A route of the catalog, requested without a signature or a payment. */
export interface RouteProbe extends Probe {
  readonly entry: Entry;
  /** Its bare URL twice, then with the catalog's example; the first route of an access mode also with an invalid proof. */
  readonly unpaid: readonly Answer[];
}

/** The catalog's list of one provider. */
export interface ProviderList {
  readonly id: string;
  readonly routeCount: unknown;
  readonly answer: Answer;
}

/** All requests to a gateway and their answers. */
export interface World {
  readonly origin: string;
  /** The complete entries of the catalog. */
  readonly entries: readonly Entry[];
  /** The number of routes beyond the limit. */
  readonly leftOut: number;
  readonly documents: Readonly<Record<DocumentName, DocumentProbe>>;
  /** The keys of receipts, if the gateway signs them. */
  readonly didDocument?: { readonly plain: Answer; readonly json: unknown };
  readonly providers: readonly ProviderList[];
  readonly routes: readonly RouteProbe[];
  /** A preflight with the response header that the official browser client sends by mistake. */
  readonly officialPreflight: Answer | undefined;
  readonly strays: {
    readonly unknownPath: Answer;
    readonly unknownPreflight: Answer;
    readonly malformedPath: Answer;
    readonly unknownProvider: Answer;
  };
  /** Every answer, in order of arrival. */
  readonly answers: readonly Answer[];
}

/** The probes of all endpoints. */
export const allProbes = ({ documents, routes }: World): readonly Probe[] => [...Object.values(documents), ...routes];

/** The answered unpaid requests, each with the entry of its route. */
export const unpaidAnswers = ({ routes }: World): { readonly entry: Entry; readonly answer: Answer }[] =>
  routes.flatMap(({ entry, unpaid }) =>
    unpaid.filter(({ status }) => status !== 0).map((answer) => ({ entry, answer })),
  );
