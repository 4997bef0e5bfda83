import { ALLOWED_HEADERS, EXPOSED_HEADERS, SENT_BY_MISTAKE } from '@asset-gateway/protocol';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { missingNames, names } from '../names.ts';
import { allProbes, type Probe, type World } from '../world.ts';

/** The missing and extra names in a header of a preflight. */
function listFault(answer: Answer, header: string, expected: readonly string[]): Fault[] {
  const given = names(answer.headers[header.toLowerCase()] ?? '');
  const missing = missingNames(expected, given);
  const extra = missingNames(given, expected);
  const differences = [
    missing.length > 0 && `lacks ${missing.join(', ')}`,
    extra.length > 0 && `has ${extra.join(', ')} as well`,
  ];
  return unless(missing.length + extra.length === 0, {
    where: whereOf(answer),
    problem: `${header} ${differences.filter(Boolean).join(' and ')}`,
    fix: `Send ${header}: ${expected.join(', ')}`,
  });
}

function preflightFaults({ preflight, verbs }: Probe): Fault[] {
  if (preflight.status === 0) return [];
  if (preflight.status !== 204) {
    const problem = `a preflight answers ${preflight.status}`;
    return [{ where: whereOf(preflight), problem, fix: 'Answer OPTIONS on every route with 204, before any gate' }];
  }
  return [
    ...listFault(preflight, 'Access-Control-Allow-Methods', [...verbs, 'OPTIONS']),
    ...listFault(preflight, 'Access-Control-Allow-Headers', names(ALLOWED_HEADERS)),
    ...listFault(preflight, 'Access-Control-Expose-Headers', names(EXPOSED_HEADERS)),
  ];
}

function officialFaults({ officialPreflight }: World): Fault[] {
  if (officialPreflight?.status !== 204) return [];
  const allowed = names(officialPreflight.headers['access-control-allow-headers'] ?? '');
  return unless(missingNames([SENT_BY_MISTAKE], allowed).length === 0, {
    where: whereOf(officialPreflight),
    problem: `the official browser client sends ${SENT_BY_MISTAKE}, which the preflight does not allow`,
    fix: 'Add it to Access-Control-Allow-Headers of a preflight that requests it',
  });
}

/** Scripts in browsers can call every route. */
export const preflightCheck: Check = {
  name: 'preflight',
  run: (world) => [...allProbes(world).flatMap(preflightFaults), ...officialFaults(world)],
};
