import { type BodySchema, type HttpMethod, objectAt, type Rule } from '@asset-gateway/protocol';
import type { OpenApiDocument, Operation } from './document.ts';

const VERBS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];
export const isVerb = (verb: string): verb is HttpMethod => VERBS.includes(verb);

/** The member of a POST's body from which Laravel, Symfony and others take the verb. */
const OVERRIDE = '_method';
const SAME_VERB = 'Must not name another verb.';

/**
 * Returns the rules by which the body of a POST cannot make it another operation of its path, which may have a price or may not be served.
 */
export function sameVerbRules(
  document: OpenApiDocument,
  operation: Operation,
  body: BodySchema | undefined,
): readonly Rule[] {
  const mayName = body !== undefined && !Object.hasOwn(objectAt(body, 'properties'), OVERRIDE);
  if (
    operation.verb !== 'POST' ||
    !document.hasOtherVerbs(operation) ||
    !mayName ||
    Reflect.get(body, 'additionalProperties') === false
  )
    return [];
  return [
    {
      ...{ name: 'sameVerb', in: 'body', parameters: [OVERRIDE], description: SAME_VERB },
      holds: (values) => !Object.hasOwn(objectAt(values), OVERRIDE),
    },
  ];
}
