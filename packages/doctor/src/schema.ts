import { Errors, type XSchema } from 'typebox/schema';
import { at } from './json.ts';

const MAX_WORDS = 120;

/**
 * In which way a value does not fit a JSON Schema (2020-12); nothing when it does. The schema is somebody else's, so it
 * is interpreted and never compiled to code.
 */
export function misfit(schema: unknown, value: unknown): string | undefined {
  try {
    const [fits, errors] = Errors(schema as XSchema, value);
    if (fits) return undefined;
    const [first] = errors;
    return `${first?.instancePath || 'it'} ${first?.message ?? 'does not fit'}`.slice(0, MAX_WORDS);
  } catch {
    return 'its schema cannot be read';
  }
}

function everyObject(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(everyObject)];
}

/** The references in a document to what it does not hold itself: those outside of it, and those that lead nowhere. */
export function deadReferences(document: unknown): string[] {
  const references = everyObject(document).map((object) => at(object, '$ref'));
  const names = [...new Set(references.filter((name) => typeof name === 'string'))];
  const leadsSomewhere = (name: string): boolean => {
    const segments = name.split('/').slice(1);
    const unescaped = segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
    return name === '#' || (name.startsWith('#/') && at(document, ...unescaped) !== undefined);
  };
  return names.filter((name) => !leadsSomewhere(name));
}
