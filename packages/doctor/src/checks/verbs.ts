import { isDeepStrictEqual } from 'node:util';
import {
  ALLOWED_HEADERS,
  below,
  EXPOSE_HEADERS,
  EXPOSED_HEADERS,
  HEADERS,
  isObject,
  SENT_BY_MISTAKE,
} from '@asset-gateway/protocol';
import { allProbes, type Exploration, type Probe } from '../explore.ts';
import { type Fault, faultsAt, type Problem, unless } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { challengeInHeader, missingNames, names, parsed } from '../reading.ts';

/** Returns the names that a preflight's header lacks or has in excess. */
function listProblem(answer: Answer, header: string, expected: readonly string[]): Problem | undefined {
  const given = names(answer.headers[header.toLowerCase()] ?? '');
  const missing = missingNames(expected, given);
  const extra = missingNames(given, expected);
  const differences = [
    missing.length > 0 && `lacks ${missing.join(', ')}`,
    extra.length > 0 && `has ${extra.join(', ')} as well`,
  ];
  return unless(missing.length + extra.length === 0, {
    problem: `${header} ${differences.filter(Boolean).join(' and ')}`,
    fix: `Send ${header}: ${expected.join(', ')}`,
  });
}

function preflightFaults({ preflight, verbs }: Probe): Fault[] {
  if (preflight.status === 0) return [];
  if (preflight.status !== 204) {
    const problem = `a preflight answers ${preflight.status}`;
    return faultsAt(preflight, { problem, fix: 'Answer OPTIONS on every route with 204, before any gate' });
  }
  return faultsAt(preflight, [
    listProblem(preflight, 'Access-Control-Allow-Methods', [...verbs, 'OPTIONS']),
    listProblem(preflight, 'Access-Control-Allow-Headers', names(ALLOWED_HEADERS)),
    listProblem(preflight, EXPOSE_HEADERS, names(EXPOSED_HEADERS)),
  ]);
}

function officialFaults({ officialPreflight }: Exploration): Fault[] {
  if (officialPreflight?.status !== 204) return [];
  const allowed = names(officialPreflight.headers['access-control-allow-headers'] ?? '');
  const isAllowed = missingNames([SENT_BY_MISTAKE], allowed).length === 0;
  const problem = `the official browser client sends ${SENT_BY_MISTAKE}, which the preflight does not allow`;
  const fix = 'Add it to Access-Control-Allow-Headers of a preflight that requests it';
  return faultsAt(officialPreflight, unless(isAllowed, { problem, fix }));
}

/** Checks that browser scripts can call every route. */
export const preflight = (exploration: Exploration): Fault[] => [
  ...allProbes(exploration).flatMap(preflightFaults),
  ...officialFaults(exploration),
];

/** The headers that matter to clients. */
const COMPARED = [
  'content-type',
  'cache-control',
  'etag',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'access-control-allow-origin',
  'access-control-expose-headers',
];
/** Members that differ in every challenge. */
const FRESH = ['nonce', 'issuedAt', 'expirationTime', 'memo', 'ticket'];

function verbFaults({ verbs, otherVerb }: Probe): Fault[] {
  const { status, headers } = otherVerb;
  if (status === 0) return [];
  const allowed = [...verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])), 'OPTIONS'];
  if (status !== 405) {
    const problem = `an unsupported verb is answered with ${status}`;
    return faultsAt(otherVerb, { problem, fix: `Answer 405 with Allow: ${allowed.join(', ')}` });
  }
  const given = names(headers.allow ?? '');
  const isComplete = missingNames(allowed, given).length + missingNames(given, allowed).length === 0;
  const problem = `Allow is ${headers.allow ?? 'missing'}`;
  return faultsAt(otherVerb, unless(isComplete, { problem, fix: `Send Allow: ${allowed.join(', ')} with the 405` }));
}

/** Checks that each path refuses unsupported verbs. */
export const verbs = (exploration: Exploration): Fault[] => allProbes(exploration).flatMap(verbFaults);

/** Returns a challenge without members that always differ. */
function withoutFreshMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFreshMembers);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !FRESH.includes(name));
  return Object.fromEntries(kept.map(([name, inside]) => [name, withoutFreshMembers(inside)]));
}

function headFaults({ plain, head }: Probe): Fault[] {
  if (!head || plain.status === 0 || head.status === 0) return [];
  const fix = 'Handle HEAD like GET and drop the body at the end';
  if (head.status !== plain.status) {
    return faultsAt(head, { problem: `HEAD answers ${head.status} but GET answers ${plain.status}`, fix });
  }
  // The length may be missing if only writing the body reveals it.
  const lengths = new Set([head, plain].flatMap(({ headers }) => headers['content-length'] ?? []));
  const isSameChallenge = isDeepStrictEqual(
    withoutFreshMembers(challengeInHeader(head)),
    withoutFreshMembers(challengeInHeader(plain)),
  );
  const differing = [
    ...COMPARED.filter((name) => head.headers[name] !== plain.headers[name]),
    ...(lengths.size > 1 ? ['content-length'] : []),
    ...(isSameChallenge ? [] : [HEADERS.paymentRequired.toLowerCase()]),
  ];
  return faultsAt(
    head,
    unless(differing.length === 0, { problem: `HEAD and GET differ in ${differing.join(', ')}`, fix }),
  );
}

/** Checks that HEAD answers like GET, but without a body. */
export const head = (exploration: Exploration): Fault[] => allProbes(exploration).flatMap(headFaults);

function bodyFaults(answer: Answer): Fault[] {
  const body = parsed(answer.body);
  const isRefusal = below(body, 'ok') === false && [below(body, 'error'), below(body, 'message')].every((text) => text);
  const isJson = /^application\/json\b/.test(answer.headers['content-type'] ?? '');
  const problem = `this ${answer.status} has no machine-readable body`;
  const fix = 'Answer application/json: {"ok":false,"error":"<code>","message":"<sentence>"}';
  return faultsAt(answer, unless(isRefusal && isJson, { problem, fix }));
}

/** Checks that refusals have the right status and a machine-readable body. */
export function refusals({ strays, answers }: Exploration): Fault[] {
  const expected = [
    [strays.unknownPath, 404, 'an unknown path'],
    [strays.unknownPreflight, 404, 'a preflight of an unknown path'],
    [strays.malformedPath, 400, 'a path with a broken escape'],
    [strays.unknownProvider, 400, 'an unknown provider'],
  ] as const;
  const wrong = expected.flatMap(([answer, status, what]) => {
    const problem = `${what} is answered with ${answer.status}`;
    return faultsAt(answer, unless([0, status].includes(answer.status), { problem, fix: `Answer ${status}` }));
  });
  const refused = answers.filter(({ method, status }) => status >= 400 && method !== 'HEAD');
  return [...wrong, ...refused.flatMap(bodyFaults)];
}
