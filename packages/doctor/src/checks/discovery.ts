import { challengeIn, extensionIn } from '../challenge.ts';
import type { Entry } from '../entry.ts';
import { type Check, type Fault, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { at, type JsonObject, objectAt, textAt } from '../json.ts';
import { deadReferences, misfit } from '../schema.ts';

const BAZAAR = 'bazaar';
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const TEMPLATE = /^\/[a-zA-Z0-9_/:.\-~%]+$/;

type Problem = Omit<Fault, 'where'> | undefined;

const problem = (text: string, fix: string): Problem => ({ problem: text, fix });

/** What an index would hold against the extension itself. */
function indexProblem(bazaar: JsonObject, entry: Entry): Problem {
  const input = objectAt(bazaar, 'info', 'input');
  const template = at(bazaar, 'routeTemplate');
  if (textAt(bazaar, 'schema', '$schema') !== DIALECT || deadReferences(bazaar.schema).length > 0) {
    return problem(
      "the discovery's schema is not complete in itself",
      `Write one of ${DIALECT} without references to outside`,
    );
  }
  const wrong = misfit(bazaar.schema, bazaar.info);
  if (wrong !== undefined) {
    return problem(`the discovery does not fit its own schema: ${wrong}`, 'Give an example that fits');
  }
  if (input.type !== 'http' || input.method !== entry.httpMethod) {
    return problem('the discovery is for another verb', `Say type http and method ${entry.httpMethod}`);
  }
  if (entry.httpMethod === 'POST' && (input.bodyType !== 'json' || input.body === undefined)) {
    return problem('the discovery of a POST has no JSON body', 'Add bodyType json and an example as body');
  }
  const isTemplated = entry.path.includes(':') ? template === entry.path : template === undefined;
  return isTemplated && (template === undefined || TEMPLATE.test(String(template)))
    ? undefined
    : problem("routeTemplate is not the catalog's path", `Set it where, and only where, the path has parameters`);
}

/** Where the extension's example is no request that the catalog's schemas allow. */
function requestProblem(bazaar: JsonObject, entry: Entry): Problem {
  const input = objectAt(bazaar, 'info', 'input');
  const places = [
    [entry.httpMethod === 'POST' ? input.body : (input.queryParams ?? {}), entry.inputSchema],
    [input.pathParams, entry.pathParamsSchema],
  ] as const;
  const wrong = places.flatMap(([value, schema]) => (schema ? (misfit(schema, value) ?? []) : []));
  return wrong.length === 0
    ? undefined
    : problem(
        `the discovery's example is refused by the catalog's schema: ${wrong[0]}`,
        'Give an example that is valid',
      );
}

function discoveryFaults(entry: Entry, answer: Answer | undefined): Fault[] {
  const challenge = answer && challengeIn(answer);
  if (!answer || !challenge) return [];
  const bazaar = extensionIn(challenge, BAZAAR);
  const fault =
    Object.keys(bazaar).length === 0
      ? problem('indexes skip it, as its 402 does not say how it is called', `Add the extension ${BAZAAR}`)
      : (indexProblem(bazaar, entry) ?? requestProblem(bazaar, entry));
  return fault ? [{ where: whereOf(answer), ...fault }] : [];
}

/** Whether indexes can list each route from its bare 402. */
export const discoveryCheck: Check = {
  name: 'discovery',
  run: ({ routes }) => routes.flatMap(({ entry, unpaid: [bare] }) => discoveryFaults(entry, bare)),
};
