import { at, isObject, type JsonObject, objectAt } from '../json.ts';

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];

/** An operation of an OpenAPI document. */
export interface Operation {
  /** As in the catalog: `GET /assets/:assetId`. */
  readonly endpoint: string;
  readonly operation: JsonObject;
}

/** Every operation of an OpenAPI document. */
export const operationsIn = (openApi: unknown): Operation[] =>
  Object.entries(objectAt(openApi, 'paths')).flatMap(([path, item]) =>
    VERBS.filter((verb) => isObject(at(item, verb))).map((verb) => ({
      endpoint: `${verb.toUpperCase()} ${path.replace(/\{(\w{1,64})\}/g, ':$1')}`,
      operation: objectAt(item, verb),
    })),
  );

/** The operations of an OpenAPI document by endpoint. */
export const operationsByEndpoint = (openApi: unknown): ReadonlyMap<string, JsonObject> =>
  new Map(operationsIn(openApi).map(({ endpoint, operation }) => [endpoint, operation]));
