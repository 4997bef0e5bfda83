import { type Issue, Refusal, type Values } from '@asset-gateway/protocol';
import type { TObject, TSchema } from 'typebox';

const MAX_DEPTH = 32;
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
const NAME = /^[\w.[\]-]{1,64}$/;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A parameter's name as it may be shown: a caller's own text is not echoed. */
export const shownName = (name: string): string => (NAME.test(name) ? name : '(unreadable name)');

const kindOf = (schema: TSchema): unknown => Reflect.get(schema, 'type');

function typed(raw: string, schema: TSchema | undefined): unknown {
  if (!schema) return raw;
  if (kindOf(schema) === 'integer' && INTEGER.test(raw)) return Number(raw);
  if (kindOf(schema) === 'boolean' && (raw === 'true' || raw === 'false')) return raw === 'true';
  return kindOf(schema) === 'array' ? raw.split(',') : raw;
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

/** The query's parameters as the JSON types of their schema; a parameter that comes twice is an issue. */
export function readQuery(query: string | undefined, schema: TObject | undefined): { values: Values; issues: Issue[] } {
  const values = new Map<string, unknown>();
  const issues: Issue[] = [];
  for (const pair of query ? query.split('&') : []) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const raw = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (values.has(name)) {
      issues.push({ in: 'query', name: shownName(name), rule: 'repeated', message: 'Give this parameter once.' });
    }
    const property = schema && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    values.set(name, typed(raw, property));
  }
  return { values: Object.fromEntries(values), issues };
}

/** Whether brackets nest at most so deep; strings are skipped. */
function isShallow(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      if (++depth > MAX_DEPTH) return false;
    } else if (character === '}' || character === ']') depth--;
  }
  return true;
}

/** The body as JSON. Refuses another content type or an encoding, and what is not shallow UTF-8 JSON. */
export function readBody(body: Uint8Array, headers: Readonly<Record<string, unknown>>): unknown {
  const type = headers['content-type'];
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw new Refusal('unsupported_media_type');
  if (type === undefined ? body.length > 0 : typeof type !== 'string' || !JSON_TYPE.test(type)) {
    throw new Refusal('unsupported_media_type');
  }
  try {
    const json = utf8.decode(body);
    if (isShallow(json)) return JSON.parse(json);
  } catch {}
  throw new Refusal('invalid_json');
}
