import { createHash } from 'node:crypto';

/** What differs from run to run although nothing has changed: times, random values, keys, places, and what depends on them. */
const VARYING: readonly [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT\b/g, '<date>'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '<uuid>'],
  [/("(?:nonce|memo|payTo|feePayer|payer|pubkey|ticket|transaction|requestId|asOf)":")[^"]*/g, '$1<…>'],
  [/("(?:slot|blockHeight|timestamp|time|lastUpdatedAt|t)":)\d+/g, '$1<n>'],
  [/\b[\w-]{16}\.[\w-]+\.[\w-]{16,}\b/g, '<nonce>'],
  [/127\.0\.0\.1:\d+/g, '<host>'],
];

const normal = (text: string): string =>
  VARYING.reduce((changed, [pattern, name]) => changed.replace(pattern, name), text);

/** What an upstream has said, which moves with the market. */
const RESULT = /"result":.*\}$/s;

/** Headers that are JSON inside base64. */
const ENCODED = new Set(['payment-required', 'payment-response', 'sign-in-with-x']);
/** Headers whose figures follow from how much was asked before. */
const COUNTED = new Set(['ratelimit', 'retry-after', 'replay-nonce', 'x-request-id', 'etag', 'date', 'content-length']);

const decoded = (value: string): string => Buffer.from(value, 'base64').toString();

/** Short texts as they are, long ones by their digest. */
const shown = (text: string): string =>
  text.length <= 200 ? text : `sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;

function headerLine(name: string, value: string): string {
  if (COUNTED.has(name)) return `${name}: <…>`;
  return `${name}: ${shown(normal(ENCODED.has(name) ? decoded(value) : value))}`;
}

/** An answer as text, in which only what a change of the gateway can change is left. */
export async function normalAnswer(response: Response): Promise<string> {
  const text = normal(await response.text());
  const body = response.status === 200 ? text.replace(RESULT, '"result":<…>}') : text;
  const headers = [...response.headers].map(([name, value]) => headerLine(name, value)).sort();
  return [String(response.status), ...headers, '', shown(body)].join('\n');
}
