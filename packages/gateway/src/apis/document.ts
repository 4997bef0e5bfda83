import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  afterSpace,
  afterString,
  isObject as isMembers,
  listAt as itemsOf,
  type Members,
  objectAt as membersOf,
} from '@asset-gateway/protocol';
import { Paths } from './paths.ts';

const require = createRequire(import.meta.url);

export { isMembers, itemsOf, type Members, membersOf };

/** A text that cannot be used; the message is a sentence without its file. */
export class DocumentFault extends Error {}

const MAX_BYTES = 16 * 1024 * 1024;

/** Leaves out the mark that some editors write at the start. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(path: string): string {
  try {
    if (statSync(path).size > MAX_BYTES) throw new DocumentFault(`is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
    return utf8.decode(readFileSync(path));
  } catch (error) {
    if (error instanceof DocumentFault) throw error;
    if (error instanceof TypeError) throw new DocumentFault('is not UTF-8; save it as UTF-8');
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new DocumentFault(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`);
  }
}

const NO_TEXT = 'is not YAML or JSON';

/** A member that an object of a valid JSON text has twice: which of the two counts differs among programs. */
function repeatedIn(json: string): string | undefined {
  const open: Set<unknown>[] = [];
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '{') open.push(new Set());
    else if (json[at] === '}') open.pop();
    if (json[at] !== '"') continue;
    const text = json.slice(at, afterString(json, at));
    at += text.length - 1;
    if (json[afterSpace(json, at + 1)] !== ':') continue;
    const name: string = JSON.parse(text);
    if (open.at(-1)?.has(name)) return name;
    open.at(-1)?.add(name);
  }
  return undefined;
}

function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const repeated = repeatedIn(text);
  if (repeated !== undefined) throw new DocumentFault(`has ${shown(repeated)} twice in one object`);
  return value;
}

/** Loads the library only for a YAML text. */
function parseYaml(text: string): unknown {
  const { CORE_SCHEMA, load, mergeTag, YAMLException }: typeof import('js-yaml') = require('js-yaml');
  try {
    return load(text, { schema: CORE_SCHEMA.withTags(mergeTag) });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    throw new DocumentFault(`${NO_TEXT}${mark ? `, line ${mark.line + 1}` : ''}: ${reason}`);
  }
}

/** YAML takes 40 times as long as JSON, which it contains. */
function parse(text: string): unknown {
  try {
    if (text.trimStart().startsWith('{')) return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return parseYaml(text);
}

/** The object in a YAML or JSON file. Throws a DocumentFault. */
export function readMembers(path: string): Members {
  const value = parse(textOf(path));
  if (!isMembers(value)) throw new DocumentFault('is not a YAML or JSON object');
  return value;
}

const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const VERSION = /^3\.[01](?:$|[.-])/;

/** An OpenAPI document 3.0 or 3.1, whose references are local. */
export class OpenApiDocument {
  readonly root: Members;
  /** By verb and path, and by their own names. */
  readonly byName = new Map<string, Operation | 'ambiguous'>();
  readonly paths: Paths;

  constructor(root: Members) {
    const given = root.openapi ?? root.swagger ?? 'without a version';
    // YAML reads 3.0 as a number.
    const version = typeof given === 'number' ? given.toFixed(1) : String(given);
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

/** The first of these texts for a message. */
export function firstOf(texts: readonly string[], most: number): string {
  const more = texts.length > most ? ' and more' : '';
  return texts.slice(0, most).join(', ') + more;
}

/** A text of the document for a message. */
export const shown = (text: string): string => JSON.stringify(text.slice(0, MAX_SHOWN));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
