import { isDeepStrictEqual } from 'node:util';
import { ALLOWED_HEADERS, below, EXPOSED_HEADERS, HEADERS, isObject, SENT_BY_MISTAKE } from '@asset-gateway/protocol';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { challengeInHeader, missingNames, names, parsed } from '../reading.ts';
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
const CHALLENGE = HEADERS.paymentRequired.toLowerCase();
/** The members that differ in every challenge. */
const FRESH = ['nonce', 'issuedAt', 'expirationTime', 'memo', 'ticket'];

function verbFaults({ verbs, otherVerb }: Probe): Fault[] {
  if (otherVerb.status === 0) return [];
  const where = whereOf(otherVerb);
  const allowed = [...verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])), 'OPTIONS'];
  if (otherVerb.status !== 405) {
    const problem = `an unsupported verb is answered with ${otherVerb.status}`;
    return [{ where, problem, fix: `Answer 405 with Allow: ${allowed.join(', ')}` }];
  }
  const given = names(otherVerb.headers.allow ?? '');
  return unless(missingNames(allowed, given).length === 0 && missingNames(given, allowed).length === 0, {
    where,
    problem: `Allow is ${otherVerb.headers.allow ?? 'missing'}`,
    fix: `Send Allow: ${allowed.join(', ')} with the 405`,
  });
}

/** A challenge without the members that differ in every one. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !FRESH.includes(name));
  return Object.fromEntries(kept.map(([name, inside]) => [name, lasting(inside)]));
}

function headFaults({ plain, head }: Probe): Fault[] {
  if (!head || plain.status === 0 || head.status === 0) return [];
  const where = whereOf(head);
  const fix = 'Handle HEAD like GET and drop the body at the end';
  if (head.status !== plain.status) {
    return [{ where, problem: `HEAD answers ${head.status} but GET answers ${plain.status}`, fix }];
  }
  // The length may be missing if only writing the body reveals it.
  const lengths = new Set([head, plain].flatMap(({ headers }) => headers['content-length'] ?? []));
  const differing = [
    ...COMPARED.filter((name) => head.headers[name] !== plain.headers[name]),
    ...(lengths.size > 1 ? ['content-length'] : []),
  ];
  const sameChallenge = isDeepStrictEqual(lasting(challengeInHeader(head)), lasting(challengeInHeader(plain)));
  const all = sameChallenge ? differing : [...differing, CHALLENGE];
  return unless(all.length === 0, { where, problem: `HEAD and GET differ in ${all.join(', ')}`, fix });
}

function bodyFaults(answer: Answer): Fault[] {
  const body = parsed(answer.body);
  const isRefusal = below(body, 'ok') === false && [below(body, 'error'), below(body, 'message')].every((text) => text);
  return unless(isRefusal && /^application\/json\b/.test(answer.headers['content-type'] ?? ''), {
    where: whereOf(answer),
    problem: `this ${answer.status} has no machine-readable body`,
    fix: 'Answer application/json: {"ok":false,"error":"<code>","message":"<sentence>"}',
  });
}

function statusFaults({ strays }: World): Fault[] {
  const expected: readonly (readonly [Answer, number, string])[] = [
    [strays.unknownPath, 404, 'an unknown path'],
    [strays.unknownPreflight, 404, 'a preflight of an unknown path'],
    [strays.malformedPath, 400, 'a path with a broken escape'],
    [strays.unknownProvider, 400, 'an unknown provider'],
  ];
  return expected.flatMap(([answer, status, what]) => {
    const fault = { problem: `${what} is answered with ${answer.status}`, fix: `Answer ${status}` };
    return unless(answer.status === status || answer.status === 0, { where: whereOf(answer), ...fault });
  });
}

/** Each path refuses unsupported verbs. */
export const verbsCheck: Check = { name: 'verbs', run: (world) => allProbes(world).flatMap(verbFaults) };

/** HEAD is GET without a body. */
export const headCheck: Check = { name: 'head', run: (world) => allProbes(world).flatMap(headFaults) };

/** Refusals have the right status and a machine-readable body. */
export const refusalsCheck: Check = {
  name: 'refusals',
  run: (world) => {
    const refused = world.answers.filter(({ method, status }) => status >= 400 && method !== 'HEAD');
    return [...statusFaults(world), ...refused.flatMap(bodyFaults)];
  },
};
