import { isDeepStrictEqual } from 'node:util';
import { HEADERS } from '@asset-gateway/protocol';
import { challengeHeader, challengeIn, challengeInBody, challengeInHeader } from '../challenge.ts';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { listAt, objectAt, textAt } from '../json.ts';
import { unpaidAnswers } from '../world.ts';

const HEADER = HEADERS.paymentRequired;
/** Proxies give a whole answer's headers 8 KiB and less. */
const MAX_HEADER_LENGTH = 4096;
/** A longer URL may be named without its query. */
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
    return { problem, fix: "Shorten the discovery extension's schema, or leave it out" };
  }
  if (!inHeader) return { problem: `${HEADER} cannot be read`, fix: 'Send base64 (standard alphabet) of its JSON' };
  if (!inBody) return { problem: 'the body does not hold the challenge', fix: `Put what ${HEADER} says into the body` };
  const differing = MEMBERS.filter((name) => !isDeepStrictEqual(inHeader[name], inBody[name]));
  if (differing.length > 0) {
    return { problem: `header and body differ in ${differing.join(', ')}`, fix: 'Write both from one challenge' };
  }
  return inHeader.x402Version === 2
    ? undefined
    : { problem: 'x402Version is not the number 2', fix: 'Write a PaymentRequired of version 2' };
}

/** Whether a URL that a challenge names is the one that was asked for. */
export function isAskedUrl(named: string, { url }: Answer): boolean {
  return named === url || (url.length > MAX_URL_LENGTH && named === url.split('?', 1)[0]);
}

/** A URL in a complaint: what is the same for a whole gateway reads the same for each of its routes. */
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
    ...unless(isAskedUrl(url, answer), {
      where,
      problem: `resource.url is ${misnamed(url, answer)}, which is not what was asked for`,
      fix: 'Set the public origin (GATEWAY_BASE_URL) to the one that clients dial, and name the URL asked for',
    }),
    ...unless(
      ['description', 'mimeType'].every((name) => textAt(challenge, 'resource', name) !== ''),
      {
        where,
        problem: 'resource lacks its description or its mimeType',
        fix: 'Say in the challenge what the route answers, and as what',
      },
    ),
    ...unless(
      listAt(tags).length <= MAX_TAGS && labels.every((label) => typeof label === 'string' && PRINTABLE.test(label)),
      {
        where,
        problem: 'serviceName or tags of the resource are not such as indexes take',
        fix: `Use at most ${MAX_TAGS} tags, each as the name 1 to 32 printable ASCII characters`,
      },
    ),
  ];
}

function schemeFaults(origin: string): Fault[] {
  const { protocol, hostname } = new URL(origin);
  return unless(protocol === 'https:' || LOOPBACK.test(hostname), {
    where: `GET ${origin}/`,
    problem: 'signatures and payments travel in clear text',
    fix: 'Serve it over https, and set the public origin (GATEWAY_BASE_URL) to that',
  });
}

/** Whether every gated route answers a request without a proof, or with junk for one, with 402. */
export const probesCheck: Check = {
  name: 'probes',
  run: (world) =>
    unpaidAnswers(world).flatMap(({ answer }) =>
      unless(answer.status === 402, {
        where: whereOf(answer),
        problem: `without a valid signature or payment it answers ${answer.status}`,
        fix: 'Answer 402 before anything else is looked at, an empty body included',
      }),
    ),
};

/** Whether each challenge can be read, and its header and its body say the same. */
export const challengeCheck: Check = {
  name: 'challenge',
  run: (world) =>
    unpaidAnswers(world).flatMap(({ answer }) => {
      const fault = answer.status === 402 ? headerFault(answer) : undefined;
      return fault ? [{ where: whereOf(answer), ...fault }] : [];
    }),
};

/** Whether each challenge is for what was asked for. */
export const resourceCheck: Check = {
  name: 'resource',
  run: (world) => [
    ...schemeFaults(world.origin),
    ...unpaidAnswers(world).flatMap(({ answer }) => resourceFaults(answer)),
  ],
};
