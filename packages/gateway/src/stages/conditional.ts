import type { Inbound, Outbound } from '../call.ts';

const ENTITY_TAG = /(?:W\/)?("[^"]*")/g;

/** Whether If-None-Match names this tag, compared weakly as RFC 9110 has it; `*` names every tag. */
function names(condition: unknown, tag: string): boolean {
  if (typeof condition !== 'string') return false;
  return condition.trim() === '*' || [...condition.matchAll(ENTITY_TAG)].some(([, opaque]) => opaque === tag);
}

/** The answer to a request that may hold it already: an unchanged document is a 304 without a body. */
export function conditional({ headers }: Inbound, answer: Outbound): Outbound {
  const { ETag: tag } = answer.headers;
  if (answer.status !== 200 || tag === undefined || !names(headers['if-none-match'], tag)) return answer;
  const { 'Content-Type': _, ...kept } = answer.headers;
  return { ...answer, status: 304, headers: kept, body: '' };
}
