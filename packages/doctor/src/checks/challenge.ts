import { isDeepStrictEqual } from 'node:util';
import { HEADERS, isLoopbackHostname, listAt, objectAt, textAt } from '@asset-gateway/protocol';
import { type Exploration, unpaidAnswers } from '../explore.ts';
import { type Fault, faultsAt, type Problem, unless } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { challengeHeader, challengeIn, challengeInBody, challengeInHeader } from '../reading.ts';

const HEADER = HEADERS.paymentRequired;
/** The longest challenge in a header. Proxies limit all headers of an answer to 8 KiB or less. */
const MAX_HEADER_LENGTH = 4096;
/** The longest URL that a challenge must name whole. It may name a longer one without its query. */
const MAX_URL_LENGTH = 256;
const MEMBERS = ['x402Version', 'error', 'resource', 'accepts', 'extensions'];
const MAX_TAGS = 5;
const PRINTABLE = /^[\x20-\x7e]{1,32}$/;

/** Checks that every gated route answers 402 to a request without a proof, and to one with an invalid proof. */
export const probes = (exploration: Exploration): Fault[] =>
  unpaidAnswers(exploration).flatMap(({ answer }) => {
    const problem = `without a valid signature or payment it answers ${answer.status}`;
    const fix = 'Answer 402 before any other check, also with an empty body';
    return faultsAt(answer, unless(answer.status === 402, { problem, fix }));
  });

function challengeProblem(answer: Answer): Problem | undefined {
  const header = challengeHeader(answer);
  const inHeader = challengeInHeader(answer);
  const inBody = challengeInBody(answer);
  if (header === '') return { problem: `the 402 has no ${HEADER}`, fix: `Send base64 of the challenge in ${HEADER}` };
  if (header.length > MAX_HEADER_LENGTH) {
    const problem = `${HEADER} has more than ${MAX_HEADER_LENGTH} characters, which proxies cut or refuse`;
    return { problem, fix: "Shorten the discovery extension's schema, or remove it" };
  }
  if (!inHeader) return { problem: `${HEADER} cannot be read`, fix: 'Send base64 (standard alphabet) of its JSON' };
  if (!inBody) return { problem: 'the body has no challenge', fix: `Put the challenge of ${HEADER} into the body` };
  const differing = MEMBERS.filter((name) => !isDeepStrictEqual(inHeader[name], inBody[name]));
  if (differing.length > 0) {
    return { problem: `header and body differ in ${differing.join(', ')}`, fix: 'Send the same challenge in both' };
  }
  const problem = 'x402Version is not the number 2';
  return unless(inHeader.x402Version === 2, { problem, fix: 'Write a PaymentRequired of version 2' });
}

/** Checks that each challenge is readable, and the same in header and body. */
export const challenge = (exploration: Exploration): Fault[] =>
  unpaidAnswers(exploration).flatMap(({ answer }) =>
    answer.status === 402 ? faultsAt(answer, challengeProblem(answer)) : [],
  );

/** Whether a challenge names the requested URL. */
export const isRequestedUrl = (named: string, { url }: Answer): boolean =>
  named === url || (url.length > MAX_URL_LENGTH && named === url.split('?', 1)[0]);

/** Returns a problem with a wrong URL. If the origin is wrong, all routes get the same text. */
function misnamed(named: string, { url }: Answer): string {
  const { origin } = new URL(url);
  const isElsewhere = URL.canParse(named) && new URL(named).origin !== origin;
  return isElsewhere ? `at ${new URL(named).origin}` : named || 'missing';
}

function resourceFaults(answer: Answer): Fault[] {
  const required = challengeIn(answer);
  if (!required) return [];
  const { serviceName, tags, ...texts } = objectAt(required, 'resource');
  const url = textAt(texts, 'url');
  const labels = [serviceName ?? [], tags ?? []].flat();
  const areAccepted = labels.every((label) => typeof label === 'string' && PRINTABLE.test(label));
  return faultsAt(answer, [
    unless(isRequestedUrl(url, answer), {
      problem: `resource.url is ${misnamed(url, answer)}, which is not the requested URL`,
      fix: 'Set GATEWAY_BASE_URL to the origin that clients use, and name the requested URL',
    }),
    unless(textAt(texts, 'description') !== '' && textAt(texts, 'mimeType') !== '', {
      problem: 'resource has no description or no mimeType',
      fix: 'Add both to the challenge',
    }),
    unless(listAt(tags).length <= MAX_TAGS && areAccepted, {
      problem: 'indexes do not accept the serviceName or the tags of the resource',
      fix: `Use at most ${MAX_TAGS} tags; each tag and the name need 1 to 32 printable ASCII characters`,
    }),
  ]);
}

/** Checks that each challenge names the requested resource. */
export function resource(exploration: Exploration): Fault[] {
  const { protocol, hostname } = new URL(exploration.origin);
  const scheme = unless(protocol === 'https:' || isLoopbackHostname(hostname), {
    problem: 'signatures and payments are sent in clear text',
    fix: 'Serve it over https, and set GATEWAY_BASE_URL to that origin',
  });
  const faults = unpaidAnswers(exploration).flatMap(({ answer }) => resourceFaults(answer));
  return [...faultsAt({ method: 'GET', url: `${exploration.origin}/` }, scheme), ...faults];
}
