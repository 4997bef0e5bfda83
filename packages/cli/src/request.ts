import type { CallRequest } from '@asset-gateway/client/tools';
import { createMatcher, everyRoute, losslessValue, type Route } from '@asset-gateway/protocol';
import { calledAs } from './config.ts';
import { UsageError } from './failure.ts';

/** The paths of the catalog and of a wallet's credit. */
export const CATALOG_PATH = '/v1/catalog';
export const CREDIT_PATH = '/v1/x402/credit';

const PREFIXES = ['/v1/x402/tokens/', '/v1/x402/'];
const PLAIN_WORD = /^[\w./:,-]+$/;

const find = createMatcher(everyRoute);

/** Returns the row of a path. Each path has one HTTP method. */
export function rowAt(path: string): Route | undefined {
  const match = find(path.split('?', 1)[0] ?? '');
  return typeof match === 'object' ? match.rows.values().next().value : undefined;
}

/** Returns the absolute path of a path that may omit its prefix. */
export function absolutePath(path: string): string {
  if (path.startsWith('/')) return path;
  const candidates = PREFIXES.map((prefix) => prefix + path);
  return candidates.find((candidate) => rowAt(candidate)) ?? `${PREFIXES[0]}${path}`;
}

/** Returns an example command for a path. */
function commandFor(path: string, row: Route | undefined): string {
  const word = PLAIN_WORD.test(path) ? path : `'${path}'`;
  const pay = row?.access === 'exact' ? '--pay ' : '';
  const body = row?.example.body ?? (row ? undefined : { mints: ['…'] });
  return `${calledAs().command} ${pay}${word}${body === undefined ? '' : ` '${JSON.stringify(body)}'`}`;
}

function parsed(text: string, hint: string): unknown {
  try {
    return losslessValue(text) ?? JSON.parse(text);
  } catch {
    throw new UsageError(`the body is not JSON; put it between single quotes: ${hint}`);
  }
}

/** Returns the request in a command line's words. Otherwise throws a `UsageError` with an example. */
export function readRequest(words: readonly string[]): CallRequest {
  const [word = '', text, ...more] = words;
  const path = absolutePath(word);
  const row = rowAt(path);
  const hint = commandFor(word, row);
  if (text === undefined) {
    if (row?.httpMethod === 'POST') throw new UsageError(`${path} takes a JSON body; type ${hint}`);
    return { path };
  }
  if (row?.httpMethod === 'GET') throw new UsageError(`${path} takes no body; type ${hint}`);
  if (more.length > 0) throw new UsageError(`the body has several words; put it between single quotes: ${hint}`);
  return { path, body: parsed(text, hint) };
}
