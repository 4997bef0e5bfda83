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
  { byName }: OpenApiDocument,
  { verb, path }: Operation,
  body: BodySchema | undefined,
): readonly Rule[] {
  const hasOthers = VERBS.some((other) => other !== verb && byName.has(`${other} ${path}`));
  const mayName = body !== undefined && !Object.hasOwn(objectAt(body, 'properties'), OVERRIDE);
  if (verb !== 'POST' || !hasOthers || !mayName || Reflect.get(body, 'additionalProperties') === false) return [];
  return [
    {
      ...{ name: 'sameVerb', in: 'body', parameters: [OVERRIDE], description: SAME_VERB },
      holds: (values) => !Object.hasOwn(objectAt(values), OVERRIDE),
    },
  ];
}
