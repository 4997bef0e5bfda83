import { CORS_HEADERS } from '@asset-gateway/protocol';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { missingNames, names } from '../names.ts';
import type { World } from '../world.ts';

const EXPOSED = names(CORS_HEADERS['Access-Control-Expose-Headers'] ?? '');
const ALLOWS_STORING = /\b(?:public|s-maxage|max-age=(?!0\b))/;
const KEY_HEADER = /\b(?:x-)?api[-_]key\b/i;

const withoutQuery = ({ url }: Answer): string => url.split('?', 1)[0] ?? url;

const answered = ({ answers }: World): readonly Answer[] => answers.filter(({ status }) => status !== 0);

function corsFaults(answer: Answer): Fault[] {
  const { method, status, headers } = answer;
  const where = whereOf(answer);
  // What a preflight lists is the preflight check's business.
  const isPreflight = method === 'OPTIONS' && status === 204;
  const hidden = isPreflight ? [] : missingNames(EXPOSED, names(headers['access-control-expose-headers'] ?? ''));
  return [
    ...unless(headers['access-control-allow-origin'] === '*', {
      where,
      problem: `browsers withhold this ${status} from scripts`,
      fix: 'Send Access-Control-Allow-Origin: * with every answer, once',
    }),
    ...unless(headers['access-control-allow-credentials'] === undefined, {
      where,
      problem: 'Access-Control-Allow-Credentials stands beside an origin of *, which browsers refuse',
      fix: 'Leave Access-Control-Allow-Credentials out',
    }),
    ...unless(hidden.length === 0, {
      where,
      problem: `scripts cannot read ${hidden.join(', ')} of this ${status}`,
      fix: 'Name them in Access-Control-Expose-Headers of every answer',
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
      problem: `a cache may keep this 402 (Cache-Control: ${control || 'none'}), and its challenge is good for one caller`,
      fix: 'Send Cache-Control: no-store with every 402',
    });
  }
  return unless(isDocument ? control !== '' : /\b(?:no-store|private)\b/.test(control), {
    where,
    problem: `a cache may keep this ${status} for as long as it likes (Cache-Control: ${control || 'none'})`,
    fix: 'Send Cache-Control: no-store, or a max-age with a public document',
  });
}

const nosniffFaults = (answer: Answer): Fault[] =>
  unless(answer.headers['x-content-type-options'] === 'nosniff', {
    where: whereOf(answer),
    problem: `browsers may guess another type for this ${answer.status}`,
    fix: 'Send X-Content-Type-Options: nosniff with every answer',
  });

function secretFaults(answer: Answer): Fault[] {
  const text = [...Object.entries(answer.headers).flat(), answer.body].join('\n');
  return unless(!KEY_HEADER.test(text), {
    where: whereOf(answer),
    problem: `the answer names the header of an upstream's key (${KEY_HEADER.exec(text)?.[0]})`,
    fix: 'Let nothing of an upstream request or refusal through',
  });
}

/** Whether every request was answered. */
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

/** Whether scripts of any page may read every answer, whatever its status. */
export const corsCheck: Check = { name: 'cors', run: (world) => answered(world).flatMap(corsFaults) };

/** Whether no cache keeps what is good for one caller or one moment. */
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

/** Whether every answer is what it says it is. */
export const nosniffCheck: Check = { name: 'nosniff', run: (world) => answered(world).flatMap(nosniffFaults) };

/** Whether no answer speaks of upstream keys. */
export const secretsCheck: Check = { name: 'secrets', run: (world) => answered(world).flatMap(secretFaults) };
