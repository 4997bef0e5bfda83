import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterSpace, afterString, isObject, type Members } from '@asset-gateway/protocol';
import { DocumentFault, shown } from '../../apis/document.ts';

const require = createRequire(import.meta.url);

const MAX_BYTES = 16 * 1024 * 1024;

/** A decoder that removes the byte-order mark, which some editors write. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function readText(path: string): string {
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

/**
 * Returns a member name that an object in valid JSON has twice; undefined if there is none. Programs differ in which of the two they use.
 */
function repeatedIn(json: string): string | undefined {
  const open: Set<unknown>[] = [];
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '{') open.push(new Set());
    else if (json[at] === '}') open.pop();
    if (json[at] !== '"') continue;
    const text = json.slice(at, afterString(json, at));
    at += text.length - 1;
    if (json[afterSpace(json, at + 1)] !== ':') continue;
    const name: string = text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
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

/** Loads the library only for YAML. */
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

/** Parses YAML or JSON. JSON is YAML too, but the YAML parser takes 40 times as long. */
function parse(text: string): unknown {
  try {
    if (text.trimStart().startsWith('{')) return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return parseYaml(text);
}

/** Returns the object in a YAML or JSON file. Throws a DocumentFault if the file has none. */
export function readMembers(path: string): Members {
  const value = parse(readText(path));
  if (!isObject(value)) throw new DocumentFault('is not a YAML or JSON object');
  return value;
}
