import {
  afterString,
  losslessValue,
  Refusal,
  type RequestValues,
  type Route,
  typed,
  type Values,
  withArgumentNames,
} from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';
import type { Call, Inbound, Input } from '../call.ts';
import { compile, Violations } from './schema.ts';

const MAX_DEPTH = 32;
/** The most values that are read. No row accepts as many. */
const MAX_VALUES = 1_024;
const ESCAPED_AGAIN = /%(?:25)+/g;
/**
 * Matches a value that could reach a different upstream path: by a slash or a dot segment. Some servers decode again, or cut a segment at a
 * semicolon.
 */
const LEAVES_SEGMENT = /[/\\]|%2f|%5c|^(?:\.|%2e){0,2}(?:;|%3b|$)/i;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** The ASCII codes of the plus sign and the space. */
const PLUS = 0x2b;
const SPACE = 0x20;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A parameter as its schema judges it, and as it is sent to the upstream. */
interface ReadParameter {
  readonly judged: unknown;
  readonly sent: unknown;
}

/** Reads a parameter. Of a list, reads at most one item beyond the limit. */
function parameterIn(
  text: string,
  schema: TSchema,
  { isVerbatim = false }: Route['upstream'],
  read: Decode,
): ReadParameter {
  const { type, items = {}, maxItems } = schema as { type?: unknown; items?: TSchema; maxItems?: number };
  if (type !== 'array') {
    const raw = read(text);
    const judged = typed(raw, schema);
    return { judged, sent: isVerbatim ? raw : judged };
  }
  // A comma inside an item of an operator's API is escaped.
  const parts = isVerbatim ? text : read(text);
  const raws = parts.split(',', Math.min(maxItems ?? MAX_VALUES, MAX_VALUES) + 1);
  const texts = isVerbatim ? raws.map(read) : raws;
  const judged = texts.map((item) => typed(item, items));
  return { judged, sent: isVerbatim ? texts : judged };
}

/** Notes a list of which not every item was read. */
function judgeLength({ judged }: ReadParameter, place: 'path' | 'query', name: string, violations: Violations): void {
  if (Array.isArray(judged) && judged.length > MAX_VALUES)
    violations.note(place, name, 'maxValues', { limit: MAX_VALUES });
}

type Decode = (text: string) => string;
const asItIs: Decode = (text) => text;

/** Replaces a query's plus signs by spaces. `replaceAll` would take ten times as long for 8 KB of plus signs. */
function withSpaces(text: string): string {
  if (!text.includes('+')) return text;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = SPACE;
  return bytes.toString();
}

function decode(text: string): string {
  const spaced = withSpaces(text);
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
}

/** Values as their schemas judge them, and as they are sent. */
interface Judged {
  readonly judged: Values;
  readonly sent: Values;
}

const judgedOf = (found: ReadonlyMap<string, ReadParameter>): Judged => ({
  judged: Object.fromEntries([...found].map(([name, { judged }]) => [name, judged])),
  sent: Object.fromEntries([...found].map(([name, { sent }]) => [name, sent])),
});

/** Reads the query's parameters. Unknown and repeated parameters are violations. */
function readQuery(query: string | undefined, { input, upstream }: Route, violations: Violations): Judged {
  const schema = input.query;
  const values = new Map<string, ReadParameter>();
  for (const pair of query ? query.split('&', MAX_VALUES) : []) {
    if (violations.isFull) break;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const property = schema && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!property) violations.note('query', name, 'additionalProperties');
    else if (values.has(name)) violations.note('query', name, 'repeated');
    if (!property) continue;
    const parameter = parameterIn(equals < 0 ? '' : pair.slice(equals + 1), property, upstream, decode);
    values.set(name, parameter);
    judgeLength(parameter, 'query', name, violations);
  }
  return judgedOf(values);
}

/**
 * Returns where the first MAX_VALUES values of a JSON text end, and the brackets that close them; undefined if brackets nest too deep.
 * `json` has one character for each byte, which is safe because no multi-byte character of UTF-8 contains an ASCII byte.
 */
function firstValues(json: string): { readonly length: number; readonly closing: string } | undefined {
  const open: string[] = [];
  let values = 0;
  for (let index = 0; index < json.length; index++) {
    const sign = json[index];
    if (sign === '"') index = afterString(json, index) - 1;
    else if (sign === '[' || sign === '{') {
      values++;
      if (open.push(sign === '[' ? ']' : '}') > MAX_DEPTH) return undefined;
    } else if (sign === ']' || sign === '}') open.pop();
    else if (sign === ',' && ++values >= MAX_VALUES) return { length: index, closing: open.reverse().join('') };
  }
  return { length: json.length, closing: '' };
}

function assertJson(headers: Inbound['headers'], isEmpty: boolean): void {
  const type = headers['content-type'];
  const encoding = headers['content-encoding'];
  const isJson = type === undefined ? isEmpty : typeof type === 'string' && JSON_TYPE.test(type);
  if (!isJson || (encoding !== undefined && encoding !== 'identity')) throw new Refusal('unsupported_media_type');
}

/** Reads the body as JSON. Throws a refusal of other content types and encodings, and of text that is not shallow UTF-8 JSON. */
function readBody(
  { body, headers }: Inbound,
  { isVerbatim }: Route['upstream'],
  violations: Violations,
): ReadParameter {
  assertJson(headers, body.length === 0);
  const first = firstValues(Buffer.from(body).toString('latin1'));
  if (!first) throw new Refusal('invalid_json');
  if (first.length < body.length) violations.note('body', '', 'maxValues', { limit: MAX_VALUES });
  try {
    const text = utf8.decode(body.subarray(0, first.length)) + first.closing;
    const judged: unknown = JSON.parse(text);
    return { judged, sent: (isVerbatim && losslessValue(text)) || judged };
  } catch {
    throw new Refusal('invalid_json');
  }
}

/** Checks the rules over several parameters, once their single values are valid. */
function judgeRules(route: Route, values: RequestValues, violations: Violations): void {
  for (const { in: place, name, parameters, description, holds } of route.rules) {
    if (violations.isFull) return;
    if (parameters.some((parameter) => violations.concern(place, parameter)) || holds(values[place])) continue;
    violations.add({ in: place, name: parameters.join(','), rule: name, message: description });
  }
}

function refuse(route: Route, violations: Violations): never {
  const issues = withArgumentNames(route, violations.issues);
  const coded = issues.find(({ name }) => Object.hasOwn(route.codes, name));
  const code = coded && route.codes[coded.name];
  const reason = issues.map(({ name, rule }) => `${name} ${rule}`).join(', ');
  throw new Refusal(code ?? 'invalid_request', { issues, reason: reason.slice(0, 200) });
}

const checksOf = ({ path, query, body }: Route['input']) => ({
  path: path && compile(path, 'path'),
  query: query && compile(query, 'query'),
  body: body && compile(body, 'body'),
});

/** Reads the parameters of a path. */
function readPath(texts: Readonly<Record<string, string>>, { input, upstream }: Route, violations: Violations): Judged {
  const values = new Map<string, ReadParameter>();
  for (const [name, schema] of Object.entries(input.path?.properties ?? {})) {
    const parameter = parameterIn(texts[name] ?? '', schema, upstream, asItIs);
    values.set(name, parameter);
    judgeLength(parameter, 'path', name, violations);
  }
  return judgedOf(values);
}

function judgeSegments(texts: Readonly<Record<string, string>>, { input, upstream }: Route, violations: Violations) {
  for (const name of Object.keys(input.path?.properties ?? {})) {
    const text = texts[name] ?? '';
    const segments = upstream.slashed?.includes(name) ? text.split('/') : [text];
    const leaves = segments.some((each) => LEAVES_SEGMENT.test(each.replace(ESCAPED_AGAIN, '%')));
    if (leaves && !violations.concern('path', name)) violations.note('path', name, 'segment');
  }
}

/** Whether the body may be absent, because its schema names no members. */
const mayBeAbsent = ({ body }: Route['input']): boolean =>
  body !== undefined &&
  Object.keys(body.properties ?? {}).length === 0 &&
  !['items', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in body) &&
  (Reflect.get(body, 'type') ?? 'object') === 'object';

const NO_BODY: ReadParameter = { judged: {}, sent: {} };

/**
 * Returns the validator of a row. It turns raw parameters into an input, or throws a refusal with every violation. The first call compiles
 * the schemas, so that a start compiles none.
 */
export function createReader(row: Route): (call: Call) => Input {
  let checks: ReturnType<typeof checksOf> | undefined;
  const isOptional = mayBeAbsent(row.input);
  return ({ inbound, parameters: texts, query: text, route }) => {
    checks ??= checksOf(row.input);
    const { path, query, body } = checks;
    const violations = new Violations();
    const parameters = readPath(texts, row, violations);
    const hasBody = body && !(isOptional && inbound.body.length === 0);
    const json = hasBody ? readBody(inbound, row.upstream, violations) : NO_BODY;
    path?.(parameters.judged, violations);
    judgeSegments(texts, row, violations);
    const asked = readQuery(text, row, violations);
    query?.(asked.judged, violations);
    body?.(json.judged, violations);
    const values = { path: parameters.sent, query: asked.sent, body: json.sent } as RequestValues;
    judgeRules(route, values, violations);
    if (violations.issues.length > 0) refuse(route, violations);
    return values as Input;
  };
}
