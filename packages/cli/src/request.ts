import { createMatcher, everyRoute, type Route } from '@asset-gateway/protocol';
import { calledAs } from './config.ts';
import { Misunderstood } from './misunderstood.ts';

/** Where a gateway lists its routes, and where it tells a wallet of its credit. */
export const CATALOG_PATH = '/v1/catalog';
export const CREDIT_PATH = '/v1/x402/credit';

/** A request as it is meant. */
export interface Asked {
  readonly path: string;
  readonly body?: unknown;
}

const PREFIXES = ['/v1/x402/tokens/', '/v1/x402/'];
const PLAIN_WORD = /^[\w./:,-]+$/;

const find = createMatcher(everyRoute);

/** The row that a path leads to; each path takes one verb. */
export function rowOf(path: string): Route | undefined {
  const match = find(path.split('?', 1)[0] ?? '');
  return typeof match === 'object' ? match.rows.values().next().value : undefined;
}

/** A relative path is the first of the gateway's families of routes that knows it. */
export function absolutePath(path: string): string {
  if (path.startsWith('/')) return path;
  const candidates = PREFIXES.map((prefix) => prefix + path);
  return candidates.find((candidate) => rowOf(candidate)) ?? `${PREFIXES[0]}${path}`;
}

/** What to type for a path, with a body that its row takes. */
function commandFor(path: string, row: Route | undefined): string {
  const word = PLAIN_WORD.test(path) ? path : `'${path}'`;
  const pay = row?.access === 'exact' ? '--pay ' : '';
  const body = row?.example.body ?? (row ? undefined : { mints: ['…'] });
  return `${calledAs().command} ${pay}${word}${body === undefined ? '' : ` '${JSON.stringify(body)}'`}`;
}

function parsed(text: string, hint: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Misunderstood(`the body is no JSON; type it as one word, between single quotes: ${hint}`);
  }
}

/** The request that the words of a command line ask for. Throws what to type instead when that is none. */
export function readRequest(words: readonly string[]): Asked {
  const [word = '', text, ...more] = words;
  const path = absolutePath(word);
  const row = rowOf(path);
  const hint = commandFor(word, row);
  if (text === undefined) {
    if (row?.httpMethod === 'POST') throw new Misunderstood(`${path} takes a JSON body; type ${hint}`);
    return { path };
  }
  if (row?.httpMethod === 'GET') throw new Misunderstood(`${path} takes no body; type ${hint}`);
  if (more.length > 0) throw new Misunderstood(`the body is several words; type it between single quotes: ${hint}`);
  return { path, body: parsed(text, hint) };
}
