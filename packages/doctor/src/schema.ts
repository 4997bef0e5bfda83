import { createContext, Script } from 'node:vm';
import { below } from '@asset-gateway/protocol';
import { Errors, type XSchema } from 'typebox/schema';

const context = createContext({ job: undefined });
const script = new Script('job()');

/** Thrown if a job takes too long. */
export class Overrun extends Error {}

/**
 * Runs a synchronous job with a time limit that holds even inside a regular expression. Throws `Overrun` after it. Use it for foreign
 * input.
 */
export function runWithin<T>(milliseconds: number, job: () => T): T {
  context.job = job;
  try {
    return script.runInContext(context, { timeout: milliseconds }) as T;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new Overrun(`more than ${milliseconds} ms`);
    throw error;
  }
}

const MAX_LENGTH = 120;
/** The time limit of one job. A schema like ours takes under a millisecond, and up to a hundred times that on a busy machine. */
const MAX_MS = 1_000;

/** Returns why a value violates one of our schemas; undefined if it does not. */
export function mismatch(schema: unknown, value: unknown): string | undefined {
  const [fits, [first]] = Errors(schema as XSchema, value);
  return fits ? undefined : `${first?.instancePath || 'it'} ${first?.message ?? 'does not fit'}`.slice(0, MAX_LENGTH);
}

/**
 * Returns why a value violates a JSON Schema (2020-12); undefined if it does not. The schema is foreign, and its patterns and references
 * could take for ever. So it is interpreted, never compiled to code, and stopped after a second.
 */
export function misfit(schema: unknown, value: unknown): string | undefined {
  try {
    return runWithin(MAX_MS, () => mismatch(schema, value));
  } catch (error) {
    return error instanceof Overrun ? `its schema was not checked within ${MAX_MS} ms` : 'its schema cannot be read';
  }
}

function everyObject(value: unknown): object[] {
  const found: object[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each !== 'object' || each === null) continue;
    found.push(each);
    for (const inside of Object.values(each).reverse()) open.push(inside);
  }
  return found;
}

/** Returns the references that a document itself cannot resolve. */
export function deadReferences(document: unknown): string[] {
  const references = everyObject(document).map((object) => below(object, '$ref'));
  const names = [...new Set(references.filter((name) => typeof name === 'string'))];
  const resolves = (name: string): boolean => {
    const segments = name.split('/').slice(1);
    const unescaped = segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
    return name === '#' || (name.startsWith('#/') && below(document, ...unescaped) !== undefined);
  };
  return names.filter((name) => !resolves(name));
}
