import { CORS_HEADERS } from '@asset-gateway/protocol';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { missingNames, names } from '../reading.ts';
import type { World } from '../world.ts';

const EXPOSED = names(CORS_HEADERS['Access-Control-Expose-Headers'] ?? '');
const ALLOWS_STORING = /\b(?:public|s-maxage|max-age=(?!0\b))/;
const KEY_HEADER = /\b(?:x-)?api[-_]key\b/i;

const withoutQuery = ({ url }: Answer): string => url.split('?', 1)[0] ?? url;

const answered = ({ answers }: World): readonly Answer[] => answers.filter(({ status }) => status !== 0);

function corsFaults(answer: Answer): Fault[] {
  const { method, status, headers } = answer;
  const where = whereOf(answer);
  // The preflight check handles the lists of a preflight.
  const isPreflight = method === 'OPTIONS' && status === 204;
  const hidden = isPreflight ? [] : missingNames(EXPOSED, names(headers['access-control-expose-headers'] ?? ''));
  return [
    ...unless(headers['access-control-allow-origin'] === '*', {
      where,
      problem: `browsers hide this ${status} from scripts`,
      fix: 'Send Access-Control-Allow-Origin: * once with every answer',
    }),
    ...unless(headers['access-control-allow-credentials'] === undefined, {
      where,
      problem: 'Access-Control-Allow-Credentials is sent with an origin of *, which browsers refuse',
      fix: 'Remove Access-Control-Allow-Credentials',
    }),
    ...unless(hidden.length === 0, {
      where,
      problem: `scripts cannot read ${hidden.join(', ')} of this ${status}`,
      fix: 'List them in Access-Control-Expose-Headers of every answer',
    }),
  ];
}

function cachingFaults(answer: Answer, isDocument: boolean): Fault[] {
  const { status, headers } = answer;
  const control = (headers['cache-control'] ?? '').toLowerCase();
  const where = whereOf(answer);
  if (status === 402) {
    return unless(control.includes('no-store') && !ALLOWS_STORING.test(control), {
      where,
      problem: `a cache may store this 402 (Cache-Control: ${control || 'none'}), but its challenge is for one client`,
      fix: 'Send Cache-Control: no-store with every 402',
    });
  }
  return unless(isDocument ? control !== '' : /\b(?:no-store|private)\b/.test(control), {
    where,
    problem: `a cache may store this ${status} without limit (Cache-Control: ${control || 'none'})`,
    fix: 'Send Cache-Control: no-store, or a max-age with a public document',
  });
}

const nosniffFaults = (answer: Answer): Fault[] =>
  unless(answer.headers['x-content-type-options'] === 'nosniff', {
    where: whereOf(answer),
    problem: `browsers may guess the type of this ${answer.status}`,
    fix: 'Send X-Content-Type-Options: nosniff with every answer',
  });

function secretFaults(answer: Answer): Fault[] {
  const text = [...Object.entries(answer.headers).flat(), answer.body].join('\n');
  return unless(!KEY_HEADER.test(text), {
    where: whereOf(answer),
    problem: `the answer contains the header name of an upstream key (${KEY_HEADER.exec(text)?.[0]})`,
    fix: 'Forward nothing of an upstream request or refusal',
  });
}

/** Every request was answered. */
export const answersCheck: Check = {
  name: 'answers',
  run: ({ answers }) =>
    answers
      .filter(({ status }) => status === 0)
      .map((answer) => ({
        where: whereOf(answer),
        problem: `there was no complete answer (${answer.failure})`,
        fix: 'Answer every request within 10 seconds and in at most 5 MiB',
      })),
};

/** Scripts of any page can read every answer. */
export const corsCheck: Check = { name: 'cors', run: (world) => answered(world).flatMap(corsFaults) };

/** Caches store only public documents. */
export const cachingCheck: Check = {
  name: 'caching',
  run: (world) => {
    const { didDocument } = world;
    const all = [...Object.values(world.documents), ...(didDocument ? [didDocument] : [])];
    const documents = all.map(({ plain }) => withoutQuery(plain));
    return answered(world).flatMap((answer) => {
      const isDocument = [200, 304].includes(answer.status) && documents.includes(withoutQuery(answer));
      return cachingFaults(answer, isDocument);
    });
  },
};

/** Browsers do not guess the type of an answer. */
export const nosniffCheck: Check = { name: 'nosniff', run: (world) => answered(world).flatMap(nosniffFaults) };

/** No answer mentions upstream keys. */
export const secretsCheck: Check = { name: 'secrets', run: (world) => answered(world).flatMap(secretFaults) };
