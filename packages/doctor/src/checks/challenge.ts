import { isDeepStrictEqual } from 'node:util';
import { HEADERS, listAt, objectAt, textAt } from '@asset-gateway/protocol';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { challengeHeader, challengeIn, challengeInBody, challengeInHeader } from '../reading.ts';
import { unpaidAnswers } from '../world.ts';

const HEADER = HEADERS.paymentRequired;
/** Proxies limit all headers of an answer to 8 KiB or less. */
const MAX_HEADER_LENGTH = 4096;
/** A challenge may name a longer URL without its query. */
const MAX_URL_LENGTH = 256;
const MEMBERS = ['x402Version', 'error', 'resource', 'accepts', 'extensions'];
const MAX_TAGS = 5;
const PRINTABLE = /^[\x20-\x7e]{1,32}$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function headerFault(answer: Answer): Omit<Fault, 'where'> | undefined {
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
  return inHeader.x402Version === 2
    ? undefined
    : { problem: 'x402Version is not the number 2', fix: 'Write a PaymentRequired of version 2' };
}

/** Whether a challenge names the requested URL. */
export function isRequestedUrl(named: string, { url }: Answer): boolean {
  return named === url || (url.length > MAX_URL_LENGTH && named === url.split('?', 1)[0]);
}

/** A wrong URL in a problem; the same text for all routes if the origin is wrong. */
function misnamed(named: string, { url }: Answer): string {
  const { origin } = new URL(url);
  const isElsewhere = URL.canParse(named) && new URL(named).origin !== origin;
  return isElsewhere ? `at ${new URL(named).origin}` : named || 'missing';
}

function resourceFaults(answer: Answer): Fault[] {
  const challenge = challengeIn(answer);
  if (!challenge) return [];
  const where = whereOf(answer);
  const url = textAt(challenge, 'resource', 'url');
  const { serviceName, tags } = objectAt(challenge, 'resource');
  const labels = [serviceName ?? [], tags ?? []].flat();
  return [
    ...unless(isRequestedUrl(url, answer), {
      where,
      problem: `resource.url is ${misnamed(url, answer)}, which is not the requested URL`,
      fix: 'Set GATEWAY_BASE_URL to the origin that clients use, and name the requested URL',
    }),
    ...unless(
      ['description', 'mimeType'].every((name) => textAt(challenge, 'resource', name) !== ''),
      {
        where,
        problem: 'resource has no description or no mimeType',
        fix: 'Add both to the challenge',
      },
    ),
    ...unless(
      listAt(tags).length <= MAX_TAGS && labels.every((label) => typeof label === 'string' && PRINTABLE.test(label)),
      {
        where,
        problem: 'indexes do not accept the serviceName or the tags of the resource',
        fix: `Use at most ${MAX_TAGS} tags; each tag and the name need 1 to 32 printable ASCII characters`,
      },
    ),
  ];
}

function schemeFaults(origin: string): Fault[] {
  const { protocol, hostname } = new URL(origin);
  return unless(protocol === 'https:' || LOOPBACK.test(hostname), {
    where: `GET ${origin}/`,
    problem: 'signatures and payments are sent in clear text',
    fix: 'Serve it over https, and set GATEWAY_BASE_URL to that origin',
  });
}

/** Every gated route answers 402 without a proof or with an invalid one. */
export const probesCheck: Check = {
  name: 'probes',
  run: (world) =>
    unpaidAnswers(world).flatMap(({ answer }) =>
      unless(answer.status === 402, {
        where: whereOf(answer),
        problem: `without a valid signature or payment it answers ${answer.status}`,
        fix: 'Answer 402 before any other check, also with an empty body',
      }),
    ),
};

/** Each challenge can be read and is the same in header and body. */
export const challengeCheck: Check = {
  name: 'challenge',
  run: (world) =>
    unpaidAnswers(world).flatMap(({ answer }) => {
      const fault = answer.status === 402 ? headerFault(answer) : undefined;
      return fault ? [{ where: whereOf(answer), ...fault }] : [];
    }),
};

/** Each challenge names the requested resource. */
export const resourceCheck: Check = {
  name: 'resource',
  run: (world) => [
    ...schemeFaults(world.origin),
    ...unpaidAnswers(world).flatMap(({ answer }) => resourceFaults(answer)),
  ],
};
