import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  isObject as isMembers,
  listAt as itemsOf,
  type Members,
  objectAt as membersOf,
  withoutMark,
} from '@asset-gateway/protocol';
import { Paths } from './paths.ts';

const require = createRequire(import.meta.url);

export { isMembers, itemsOf, type Members, membersOf };

/** A text that cannot be used; the message is a sentence without its file. */
export class DocumentFault extends Error {}

const MAX_BYTES = 16 * 1024 * 1024;

function textOf(path: string): string {
  try {
    if (statSync(path).size > MAX_BYTES) throw new DocumentFault(`is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
    return withoutMark(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof DocumentFault) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new DocumentFault(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`);
  }
}

const NO_TEXT = 'is not YAML or JSON';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DocumentFault(NO_TEXT);
  }
}

/** Loads the library only for a YAML text. */
function parseYaml(text: string): unknown {
  const { CORE_SCHEMA, load, YAMLException }: typeof import('js-yaml') = require('js-yaml');
  try {
    return load(text, { schema: CORE_SCHEMA });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    throw new DocumentFault(mark ? `${NO_TEXT}, line ${mark.line + 1}: ${reason}` : NO_TEXT);
  }
}

/** YAML takes 40 times as long as JSON. */
const parse = (text: string): unknown => (text.trimStart().startsWith('{') ? parseJson(text) : parseYaml(text));

/** The object in a YAML or JSON file. Throws a DocumentFault. */
export function readMembers(path: string): Members {
  const value = parse(textOf(path));
  if (!isMembers(value)) throw new DocumentFault('is not a YAML or JSON object');
  return value;
}

const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const VERSION = /^3\.[01]\.\d+$/;

/** An OpenAPI document 3.0 or 3.1, whose references are local. */
export class OpenApiDocument {
  readonly root: Members;
  /** By verb and path, and by their own names. */
  readonly byName = new Map<string, Operation | 'ambiguous'>();
  readonly paths: Paths;

  constructor(root: Members) {
    const version = String(root.openapi ?? root.swagger ?? 'without a version');
    if (!VERSION.test(version)) throw new DocumentFault(`is OpenAPI ${version.slice(0, 20)}, not 3.0 or 3.1`);
    this.root = root;
    this.paths = new Paths(Object.keys(membersOf(root.paths)));
    for (const operation of this.operations()) {
      const { operationId } = operation.node;
      this.byName.set(`${operation.verb} ${operation.path}`, operation);
      if (typeof operationId === 'string')
        this.byName.set(operationId, this.byName.has(operationId) ? 'ambiguous' : operation);
    }
  }

  /** The operations in the order of the document; `shared` are the parameters of the whole path, which has `{name}` for each. */
  operations() {
    return Object.entries(membersOf(this.root.paths)).flatMap(([path, item]) => {
      const members = membersOf(this.resolve(item));
      return VERBS.flatMap((verb) => {
        const node = members[verb];
        if (!isMembers(node)) return [];
        return [{ verb: verb.toUpperCase(), path, node, shared: itemsOf(members.parameters) }];
      });
    });
  }

  /** Follows references to the value they name. The same reference leads to the same object. */
  resolve(value: unknown): unknown {
    const seen = new Set<string>();
    let found = value;
    while (isMembers(found) && typeof found.$ref === 'string') {
      if (seen.has(found.$ref)) throw new DocumentFault(`the reference ${shown(found.$ref)} leads to itself`);
      seen.add(found.$ref);
      found = this.#find(found.$ref);
    }
    return found;
  }

  #find(reference: string): unknown {
    if (!reference.startsWith('#/')) throw new DocumentFault(`the reference ${shown(reference)} is not local`);
    let found: unknown = this.root;
    for (const segment of reference.slice(2).split('/')) {
      const name = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name))
        throw new DocumentFault(`the reference ${shown(reference)} leads nowhere`);
      found = Reflect.get(found, name);
    }
    return found;
  }
}

/** One operation of an OpenAPI document. */
export type Operation = ReturnType<OpenApiDocument['operations']>[number];

const MAX_SHOWN = 100;

/** A text of the document for a message. */
export const shown = (text: string): string => JSON.stringify(text.slice(0, MAX_SHOWN));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
