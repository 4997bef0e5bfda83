import { isObject, listAt, type Members, objectAt } from '@asset-gateway/protocol';
import { isNamed, parameterNames, shapeOf, textsOf } from './path-texts.ts';
import { Paths } from './paths.ts';

/** The keywords that compose a schema from others. */
export const COMPOSED = ['allOf', 'anyOf', 'oneOf'];
export const subschemasOf = (schema: Members): Members[] =>
  COMPOSED.flatMap((keyword) => listAt(schema[keyword])).map((each) => objectAt(each));

/** A document that the gateway cannot use. The message is a sentence without the file name. */
export class DocumentFault extends Error {}

/** What to do about references to other files. */
const BUNDLE = 'bundle the files into one, for example with npx @redocly/cli bundle';
const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** The most references in a row to follow. Each use of a schema follows all of them. */
const MAX_REFERENCES = 32;
const VERSION = /^3\.[01](?:$|[.-])/;

/** One operation of an OpenAPI document. */
export interface Operation {
  /** The verb in capitals. */
  readonly verb: string;
  /** The path, with `{name}` for each parameter. */
  readonly path: string;
  readonly node: Members;
  /** The parameters that all operations of the path share. */
  readonly shared: readonly unknown[];
}

/** An OpenAPI document 3.0 or 3.1 with local references only. */
export class OpenApiDocument {
  readonly root: Members;
  /** The operations by verb and path, and by `operationId`. */
  readonly byName = new Map<string, Operation | 'ambiguous'>();
  readonly paths: Paths;
  /** The first usable spelling of each path, because some documents name its parameters otherwise under another verb. */
  readonly #spellings = new Map<string, string>();
  readonly #verbs = new Map<string, Set<string>>();

  constructor(root: Members) {
    const given = root.openapi ?? root.swagger ?? 'without a version';
    // YAML reads 3.0 as a number.
    const version = typeof given === 'number' ? given.toFixed(1) : String(given);
    const remedy = version.startsWith('2') ? '; convert it, for example with npx swagger2openapi' : '';
    if (!VERSION.test(version)) throw new DocumentFault(`is OpenAPI ${version.slice(0, 20)}, not 3.0 or 3.1${remedy}`);
    this.root = root;
    this.paths = new Paths(Object.keys(objectAt(root.paths)));
    for (const operation of this.operations()) {
      const { operationId } = operation.node;
      const [texts, shape] = [textsOf(operation.path).join('{}'), shapeOf(operation.path)];
      if (!this.#spellings.has(texts) && isNamed(operation.path)) this.#spellings.set(texts, operation.path);
      this.#verbs.set(shape, (this.#verbs.get(shape) ?? new Set()).add(operation.verb));
      this.byName.set(`${operation.verb} ${operation.path}`, operation);
      if (typeof operationId === 'string')
        this.byName.set(operationId, this.byName.has(operationId) ? 'ambiguous' : operation);
    }
  }

  /** Returns the names of a path's parameters in its first spelling, by their own names. */
  namesFor(path: string): ReadonlyMap<string, string> {
    const own = parameterNames(path);
    const first = parameterNames(this.#spellings.get(textsOf(path).join('{}')) ?? path);
    return new Map(own.map((name, at) => [name, first[at] ?? name]));
  }

  /** Returns whether a path has operations with other verbs, under any names of its parameters. */
  hasOtherVerbs({ verb, path }: Operation): boolean {
    const verbs = this.#verbs.get(shapeOf(path));
    return verbs !== undefined && verbs.size > Number(verbs.has(verb));
  }

  /** Returns the operations in the order of the document. */
  operations(): Operation[] {
    return Object.entries(objectAt(this.root.paths)).flatMap(([path, item]) => {
      const members = objectAt(this.resolve(item));
      return VERBS.flatMap((verb) => {
        const node = this.resolve(members[verb]);
        if (!isObject(node)) return [];
        return [{ verb: verb.toUpperCase(), path, node, shared: listAt(members.parameters) }];
      });
    });
  }

  /** Follows references and returns their value. Equal references return the same object. */
  resolve(value: unknown): unknown {
    const seen = new Set<string>();
    let found = value;
    while (isObject(found) && typeof found.$ref === 'string') {
      if (seen.has(found.$ref)) throw new DocumentFault(`the reference ${shown(found.$ref)} leads to itself`);
      if (seen.size >= MAX_REFERENCES)
        throw new DocumentFault(
          `the reference ${shown(found.$ref)} is behind ${MAX_REFERENCES} others; refer to the value`,
        );
      seen.add(found.$ref);
      found = this.#find(found.$ref);
    }
    return found;
  }

  #find(reference: string): unknown {
    if (!reference.startsWith('#/'))
      throw new DocumentFault(`the reference ${shown(reference)} is not local; ${BUNDLE}`);
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

const MAX_SHOWN = 100;

/** Returns the first of these texts, for a message. */
export function firstOf(texts: readonly string[], most: number): string {
  const more = texts.length > most ? ' and more' : '';
  return texts.slice(0, most).join(', ') + more;
}

/** Returns a text of the document, shortened for a message. */
export const shown = (text: string): string => JSON.stringify(text.slice(0, MAX_SHOWN));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
