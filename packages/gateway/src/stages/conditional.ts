import type { Inbound, Outbound } from '../call.ts';

/** Nobody holds more copies than that. */
const MAX_TAGS = 64;

/** Whether If-None-Match names this tag, compared weakly as RFC 9110 has it; `*` names every tag. */
function names(condition: unknown, tag: string): boolean {
  if (typeof condition !== 'string') return false;
  // What stands between quotes, and behind each of it what follows its closing quote.
  const parts = condition.split('"', 2 * MAX_TAGS + 1);
  const isTag = (part: string, index: number): boolean => index % 2 === 1 && `"${part}"` === tag;
  return condition.trim() === '*' || parts.slice(0, -1).some(isTag);
}

/** The answer to a request that may hold it already: an unchanged document is a 304 without a body. */
export function conditional({ headers }: Inbound, answer: Outbound): Outbound {
  const { ETag: tag } = answer.headers;
  if (answer.status !== 200 || tag === undefined || !names(headers['if-none-match'], tag)) return answer;
  const { 'Content-Type': _, ...kept } = answer.headers;
  return { ...answer, status: 304, headers: kept, body: '' };
}
