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

/** Why an index would refuse the extension. */
function indexProblem(bazaar: JsonObject, entry: Entry): Problem {
  const input = objectAt(bazaar, 'info', 'input');
  const template = at(bazaar, 'routeTemplate');
  if (textAt(bazaar, 'schema', '$schema') !== DIALECT || deadReferences(bazaar.schema).length > 0) {
    return problem(
      'the schema of the discovery extension is not self-contained',
      `Use ${DIALECT} without outside references`,
    );
  }
  const wrong = misfit(bazaar.schema, bazaar.info);
  if (wrong !== undefined) {
    return problem(`the discovery extension does not match its own schema: ${wrong}`, 'Use a valid example');
  }
  if (input.type !== 'http' || input.method !== entry.httpMethod) {
    return problem('the discovery extension names another verb', `Set type http and method ${entry.httpMethod}`);
  }
  if (entry.httpMethod === 'POST' && (input.bodyType !== 'json' || input.body === undefined)) {
    return problem('the discovery extension of a POST has no JSON body', 'Add bodyType json and an example body');
  }
  const isTemplated = entry.path.includes(':') ? template === entry.path : template === undefined;
  return isTemplated && (template === undefined || TEMPLATE.test(String(template)))
    ? undefined
    : problem("routeTemplate is not the catalog's path", 'Set it only for paths with parameters');
}

/** Why the catalog's schemas refuse the extension's example. */
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
        `the catalog's schema refuses the example of the discovery extension: ${wrong[0]}`,
        'Use a valid example',
      );
}

function discoveryFaults(entry: Entry, answer: Answer | undefined): Fault[] {
  const challenge = answer && challengeIn(answer);
  if (!answer || !challenge) return [];
  const bazaar = extensionIn(challenge, BAZAAR);
  const fault =
    Object.keys(bazaar).length === 0
      ? problem('indexes skip it because its 402 does not describe the call', `Add the extension ${BAZAAR}`)
      : (indexProblem(bazaar, entry) ?? requestProblem(bazaar, entry));
  return fault ? [{ where: whereOf(answer), ...fault }] : [];
}

/** Indexes can list each route from its bare 402. */
export const discoveryCheck: Check = {
  name: 'discovery',
  run: ({ routes }) => routes.flatMap(({ entry, unpaid: [bare] }) => discoveryFaults(entry, bare)),
};
