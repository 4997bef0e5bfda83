import { CORS_HEADERS, EXPOSE_HEADERS } from '@asset-gateway/protocol';
import type { Exploration } from '../explore.ts';
import { type Fault, faultsAt, unless } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { missingNames, names } from '../reading.ts';

const EXPOSED = names(CORS_HEADERS[EXPOSE_HEADERS] ?? '');
const ALLOWS_STORING = /\b(?:public|s-maxage|max-age=(?!0\b))/;
const KEY_HEADER = /\b(?:x-)?api[-_]key\b/i;

const withoutQuery = ({ url }: Answer): string => url.split('?', 1)[0] ?? url;

const answered = ({ answers }: Exploration): readonly Answer[] => answers.filter(({ status }) => status !== 0);

/** Checks that every request was answered. */
export const answers = (exploration: Exploration): Fault[] =>
  exploration.answers
    .filter(({ status }) => status === 0)
    .flatMap((answer) =>
      faultsAt(answer, {
        problem: `there was no complete answer (${answer.failure})`,
        fix: 'Answer every request within 10 seconds and in at most 5 MiB',
      }),
    );

function corsFaults(answer: Answer): Fault[] {
  const { method, status, headers } = answer;
  // The preflight check handles a preflight's lists.
  const isPreflight = method === 'OPTIONS' && status === 204;
  const hidden = isPreflight ? [] : missingNames(EXPOSED, names(headers['access-control-expose-headers'] ?? ''));
  return faultsAt(answer, [
    unless(headers['access-control-allow-origin'] === '*', {
      problem: `browsers hide this ${status} from scripts`,
      fix: 'Send Access-Control-Allow-Origin: * once with every answer',
    }),
    unless(headers['access-control-allow-credentials'] === undefined, {
      problem: 'Access-Control-Allow-Credentials is sent with an origin of *, which browsers refuse',
      fix: 'Remove Access-Control-Allow-Credentials',
    }),
    unless(hidden.length === 0, {
      problem: `scripts cannot read ${hidden.join(', ')} of this ${status}`,
      fix: 'List them in Access-Control-Expose-Headers of every answer',
    }),
  ]);
}

/** Checks that scripts on any page can read every answer. */
export const cors = (exploration: Exploration): Fault[] => answered(exploration).flatMap(corsFaults);

function cachingFaults(answer: Answer, documents: readonly string[]): Fault[] {
  const { status, headers } = answer;
  const control = (headers['cache-control'] ?? '').toLowerCase();
  const shown = `(Cache-Control: ${control || 'none'})`;
  if (status === 402) {
    const isStored = !control.includes('no-store') || ALLOWS_STORING.test(control);
    const problem = `a cache may store this 402 ${shown}, but its challenge is for one client`;
    return faultsAt(answer, unless(!isStored, { problem, fix: 'Send Cache-Control: no-store with every 402' }));
  }
  const isDocument = [200, 304].includes(status) && documents.includes(withoutQuery(answer));
  const isLimited = isDocument ? control !== '' : /\b(?:no-store|private)\b/.test(control);
  const problem = `a cache may store this ${status} without limit ${shown}`;
  const fix = 'Send Cache-Control: no-store, or a max-age with a public document';
  return faultsAt(answer, unless(isLimited, { problem, fix }));
}

/** Checks that caches may store only public documents. */
export function caching(exploration: Exploration): Fault[] {
  const { documents, didDocument } = exploration;
  const all = [...Object.values(documents), ...(didDocument ? [didDocument] : [])];
  const urls = all.map(({ plain }) => withoutQuery(plain));
  return answered(exploration).flatMap((answer) => cachingFaults(answer, urls));
}

/** Checks that browsers do not guess an answer's type. */
export const nosniff = (exploration: Exploration): Fault[] =>
  answered(exploration).flatMap((answer) => {
    const problem = `browsers may guess the type of this ${answer.status}`;
    const fix = 'Send X-Content-Type-Options: nosniff with every answer';
    return faultsAt(answer, unless(answer.headers['x-content-type-options'] === 'nosniff', { problem, fix }));
  });

/** Checks that no answer mentions upstream keys. */
export const secrets = (exploration: Exploration): Fault[] =>
  answered(exploration).flatMap((answer) => {
    const found = KEY_HEADER.exec([...Object.entries(answer.headers).flat(), answer.body].join('\n'));
    const problem = `the answer contains the header name of an upstream key (${found?.[0]})`;
    return faultsAt(answer, unless(!found, { problem, fix: 'Forward nothing of an upstream request or refusal' }));
  });
