import { partOf, refusalOf, resultOf } from './answer.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { LOCAL, type ServedTool } from './served-tool.ts';
import { jsonBytes, trim } from './trim.ts';

const GONE =
  'This answer is not kept any more: answers are kept for an hour, the last 64 of them. Call the tool again.';
/** What is shown of a part, with what stands around it. */
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

/** Shows more of an answer that was cut. */
export function readOnTool(kept: KeptAnswers): ServedTool {
  return {
    name: 'read_on',
    title: 'More of an answer that was cut',
    description: 'Shows more of an answer that was cut, by its id, without asking the gateway again. Free.',
    inputSchema: {
      type: 'object',
      properties: {
        answer: { type: 'string', description: 'cut.answer of what was shown.' },
        path: {
          type: 'string',
          description: 'JSON Pointer in its result, such as /markets/0; all of it when left out.',
        },
        from: { type: 'integer', minimum: 0, description: 'How many items, characters or members to skip.' },
      },
      required: ['answer'],
      additionalProperties: false,
    },
    annotations: LOCAL,
    async call({ answer, path = '', from = 0 }) {
      const text = kept.text(String(answer));
      if (text === undefined) return refusalOf(GONE);
      const value = valueAt(JSON.parse(text), String(path));
      if (value === undefined)
        return refusalOf('There is nothing at this path. A path is a JSON Pointer such as /markets/0.');
      const part = sliceOf(value, Number(from));
      return jsonBytes(part) <= MAX_BYTES
        ? resultOf({ result: trim(part, MAX_BYTES) })
        : partOf(String(answer), part, { bytes: Buffer.byteLength(text) });
    },
  };
}
