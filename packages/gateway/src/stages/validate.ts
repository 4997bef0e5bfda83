import { Refusal, type RequestValues, type Route } from '@asset-gateway/protocol';
import type { Call, Input } from '../call.ts';
import { readBody, readQuery } from './read.ts';
import { compile } from './schema.ts';
import { Violations } from './violations.ts';

/** A rule over several parameters looks only at what the schemas have let pass, all of which has been looked at then. */
function judgeRules(route: Route, values: RequestValues, violations: Violations): void {
  for (const { in: place, name, parameters, description, holds } of route.rules) {
    if (violations.isFull) return;
    if (parameters.some((parameter) => violations.concern(place, parameter)) || holds(values[place])) continue;
    violations.add({ in: place, name: parameters.join(','), rule: name, message: description });
  }
}

function refuse(route: Route, { issues }: Violations): never {
  const coded = issues.find(({ name }) => Object.hasOwn(route.codes, name));
  const code = coded && route.codes[coded.name];
  const reason = issues.map(({ name, rule }) => `${name} ${rule}`).join(', ');
  throw new Refusal(code ?? 'invalid_request', { issues, reason: reason.slice(0, 200) });
}

/** Makes what reads a call's raw parameters by its row's schemas, or refuses with every violation at once. */
export function createReader({ input }: Route): (call: Call) => Input {
  const path = input.path && compile(input.path, 'path');
  const query = input.query && compile(input.query, 'query');
  const body = input.body && compile(input.body, 'body');
  // A body that takes no member says nothing.
  const mayBeAbsent = Object.keys(input.body?.properties ?? {}).length === 0;
  return ({ inbound, parameters, query: text, route }) => {
    const violations = new Violations();
    const json = body && !(mayBeAbsent && inbound.body.length === 0) ? readBody(inbound, violations) : {};
    path?.(parameters, violations);
    const asked = readQuery(text, input.query, violations);
    query?.(asked, violations);
    body?.(json, violations);
    const values = { path: parameters, query: asked, body: json } as RequestValues;
    judgeRules(route, values, violations);
    if (violations.issues.length > 0) refuse(route, violations);
    return values as Input;
  };
}
