import { partOf, refusalOf, resultOf } from './answer.ts';
import { LOCAL, type ServedTool } from './served-tool.ts';
import type { StoredAnswers } from './stored-answers.ts';
import { jsonBytes, trim } from './trim.ts';

const GONE = 'This answer is no longer stored: only the last 64 answers are stored, for an hour. Call the tool again.';
/** The size limit of a part with its envelope. */
const MAX_BYTES = 11_000;

/** One step of a JSON Pointer (RFC 6901). */
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

function valueAt(value: unknown, pointer: string): unknown {
  const [before, ...steps] = pointer.split('/');
  if (before !== '') return undefined;
  let found = value;
  for (const step of steps) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, unescaped(step))) return undefined;
    found = (found as Record<string, unknown>)[unescaped(step)];
  }
  return found;
}

function sliceOf(value: unknown, from: number): unknown {
  if (Array.isArray(value) || typeof value === 'string') return value.slice(from);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).slice(from));
}

/** The tool that shows more of a cut answer. */
export function readOnTool(stored: StoredAnswers): ServedTool {
  return {
    name: 'read_on',
    title: 'More of a cut answer',
    description: 'Shows more of a cut answer by its id, without another call. Free.',
    inputSchema: {
      type: 'object',
      properties: {
        answer: { type: 'string', description: 'The id in cut.answer.' },
        path: {
          type: 'string',
          description: 'JSON Pointer in the result, such as /markets/0; default: the whole result.',
        },
        from: { type: 'integer', minimum: 0, description: 'How many items, characters or members to skip.' },
      },
      required: ['answer'],
      additionalProperties: false,
    },
    annotations: LOCAL,
    async call({ answer, path = '', from = 0 }) {
      const text = stored.text(String(answer));
      if (text === undefined) return refusalOf(GONE);
      const value = valueAt(JSON.parse(text), String(path));
      if (value === undefined)
        return refusalOf('The path does not exist. A path is a JSON Pointer such as /markets/0.');
      const part = sliceOf(value, Number(from));
      return jsonBytes(part) <= MAX_BYTES
        ? resultOf({ result: trim(part, MAX_BYTES) })
        : partOf(String(answer), part, { bytes: Buffer.byteLength(text) });
    },
  };
}
