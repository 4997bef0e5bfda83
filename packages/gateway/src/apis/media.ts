import { type BodySchema, JSON_MEDIA_TYPE, listAt, type Members, objectAt, type Route } from '@asset-gateway/protocol';
import { Check } from 'typebox/schema';
import { COMPOSED, DocumentFault, firstOf, type OpenApiDocument, type Operation, shown } from './document.ts';
import { isInherited } from './path-texts.ts';
import { isShort, sampleOf } from './samples.ts';
import { checkedSchema, describingSchema } from './schemas.ts';

const JSON_TYPE = /^(?:application\/(?:[\w.-]+\+)?json|application\/\*|\*\/\*)\s*(?:;|$)/i;

/** Returns the first JSON media type of a body or an answer; `application/json` if that is among several. */
function jsonIn(content: Members) {
  const names = Object.keys(content).filter((name) => JSON_TYPE.test(name));
  const name = names.find((each) => each === JSON_MEDIA_TYPE) ?? names[0];
  if (name === undefined) return undefined;
  return { name: name.includes('*') ? JSON_MEDIA_TYPE : name, media: objectAt(content[name]) };
}

const typesIn = (content: Members): string => Object.keys(content).map(shown).join(' or ');

/** Returns the members of a body. Some documents require members that they do not describe. */
function namedIn(schema: Members): Members {
  const described = objectAt(schema.properties);
  const names = COMPOSED.some((keyword) => keyword in schema) ? [] : listAt(schema.required).map(String);
  const missing = names.filter((name) => !isInherited(name) && !Object.hasOwn(described, name));
  return { ...described, ...Object.fromEntries(missing.map((name) => [name, {}])) };
}

/** Returns the schema of a JSON body. */
export function bodyOf(document: OpenApiDocument, { node, verb }: Operation, notes: Set<string>) {
  if (node.requestBody === undefined) return undefined;
  if (verb === 'GET') throw new DocumentFault('a GET has a body');
  const content = objectAt(objectAt(document.resolve(node.requestBody)).content);
  const json = jsonIn(content);
  if (!json) throw new DocumentFault(`the body is ${typesIn(content) || 'without a type'}, not JSON`);
  const schema = checkedSchema(document, json.media.schema, 'body', notes);
  const isUntyped = !['type', 'properties', 'items', 'enum', 'const', ...COMPOSED].some((keyword) => keyword in schema);
  const object =
    isUntyped || 'properties' in schema
      ? { type: 'object', ...schema, properties: namedIn(schema as Members) }
      : schema;
  return { schema: object as BodySchema, type: json.name, example: exampleIn(document, json.media) };
}

/** Returns the example of a media type; undefined if it is too long or its reference is broken. */
function exampleIn(document: OpenApiDocument, media: Members): unknown {
  const [named] = Object.values(objectAt(media.examples));
  try {
    const example = media.example ?? objectAt(document.resolve(named)).value;
    return isShort(example) ? example : undefined;
  } catch (error) {
    if (error instanceof DocumentFault) return undefined;
    throw error;
  }
}

/** How many statuses a message lists, and the length of the longest status, `default`. */
const MAX_STATUSES = 8;
const MAX_STATUS = 7;
/** The documented success statuses, in the order of preference. */
const SUCCESSES = ['200', '201', '202', '2XX', 'default', '204'];

/** Returns the JSON media type of an operation's answer. If the document describes no content, the answer is any JSON or none. */
export function jsonMediaOf(document: OpenApiDocument, { node }: Operation) {
  const responses = objectAt(node.responses);
  const contents = SUCCESSES.filter((status) => responses[status] !== undefined).map((status) =>
    objectAt(objectAt(document.resolve(responses[status])).content),
  );
  const [first] = contents;
  if (!first) {
    const statuses = firstOf(
      Object.keys(responses).map((status) => status.slice(0, MAX_STATUS)),
      MAX_STATUSES,
    );
    throw new DocumentFault(`it answers ${statuses || 'nothing'}, not 200, 201, 202 or 204`);
  }
  const isEmpty = (content: Members): boolean => Object.keys(content).length === 0;
  const json = contents.map(jsonIn).find((each) => each !== undefined);
  const mayBeEmpty = contents.some(isEmpty);
  if (isEmpty(first) || (!json && mayBeEmpty)) return { name: JSON_MEDIA_TYPE, media: {}, mayBeEmpty };
  if (json) return { ...json, mayBeEmpty };
  throw new DocumentFault(`it answers ${typesIn(first)}, not JSON`);
}

/** Returns the schema and the example of an answer. */
export function describedResult(document: OpenApiDocument, media: Members): Route['result'] {
  const schema = describingSchema(document, media.schema);
  const given = exampleIn(document, media);
  const example = given !== undefined && Check(schema, given) ? given : sampleOf(schema);
  return { schema, example: isShort(example) ? (example ?? null) : null };
}
