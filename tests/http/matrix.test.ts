import { METHODS } from 'node:http';
import { consoleRoutes, faucetRoute, type Route, routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { faultsOf, statusAndCode } from './error-table.ts';
import { gated, pathOf, rowOf } from './targets.ts';
import { askAll, askOne, requestTo, type WireAnswer, type WireRequest } from './wire.ts';

/** Changes a path. */
type Spelling = (path: string) => string;

const beforeLast =
  (text: string): Spelling =>
  (path) =>
    path.replace(/\/([^/]*)$/, `/${text}/$1`);
const after =
  (text: string): Spelling =>
  (path) =>
    path + text;
const before =
  (text: string): Spelling =>
  (path) =>
    text + path;
const hex = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;

/** Encodes the first letter of the last segment. */
const encodedLetter: Spelling = (path) => path.replace(/\/(\w)([^/]*)$/, (_, a: string, b: string) => `/${hex(a)}${b}`);

/** Spellings that an HTTP parser accepts. */
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  plain: after(''),
  'trailing slash': after('/'),
  'doubled slash': (path) => path.replace(/\/([^/]*)$/, '//$1'),
  'slashes first': before('//'),
  'another host as path': before('//evil.example'),
  'dot segment': beforeLast('.'),
  'dot segments': beforeLast('x/..'),
  'dots at the end': after('/..'),
  'dots to the liveness route': after('/../../../../../../healthz'),
  'encoded dots': beforeLast('x/%2e%2e'),
  'encoded letter': encodedLetter,
  'all letters encoded': (path) => path.replace(/[a-z]/g, hex),
  'encoded twice': (path) => encodedLetter(path).replace('%', '%25'),
  'upper case': (path) => path.toUpperCase(),
  semicolon: after(';x'),
  'encoded zero': after('%00'),
  suffix: after('.json'),
  'encoded slash': after('%2f'),
  'encoded slashes': (path) => path.replace(/(.)\/([^/]*)$/, '$1%2f$2'),
  'encoded backslash': after('%5c'),
  backslash: after('\\'),
  'backslash for slash': (path) => path.replace(/(.)\/([^/]*)$/, '$1\\$2'),
  'encoded line break': after('%0d%0aX:%20y'),
  'encoded space': after('%20'),
  pipe: after('|'),
  backtick: after('`'),
  'absolute form': before('http://127.0.0.1'),
  'absolute form of another host': before('http://evil.example'),
  'empty query': after('?'),
  'unknown parameter': after('?x=1'),
  'a path as query': (path) => `/?${path}`,
  'broken escape in the query': after('?q=%zz'),
  'not UTF-8 in the query': after('?q=%ff'),
  fragment: after('#x'),
  'encoded mark': after('%3fq=1'),
  'percent sign': after('%'),
  'no escape': after('%zz'),
  'not UTF-8': after('%ff'),
  'overlong UTF-8': after('%c0%af'),
  'escape in front': before('/%2e%2e'),
  star: after('/*'),
};

/** Spellings that an HTTP parser rejects, closing the connection. */
const UNREADABLE: Readonly<Record<string, Spelling>> = {
  space: after(' x'),
  tab: after('\tx'),
  zero: after('\0x'),
  'carriage return': after('\rx'),
  'not ASCII': after('\xc3\xa9'),
  'high byte': after('\xff'),
  'no slash in front': (path) => path.slice(1),
  'backslash in front': (path) => `\\${path.slice(1)}`,
  'one slash after the scheme': before('http:'),
};

const KNOWN_VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
/** CONNECT never reaches the application: its connection is closed unanswered. */
const OTHER_VERBS = METHODS.filter((verb) => verb !== 'CONNECT' && !KNOWN_VERBS.includes(verb));
const KINDS = ['system.catalog', 'tokens.assetDetail', 'tokens.marketSnapshots', 'rpc.mainnet.helius.getBalance'];
/** One row of each kind; tests/answers has some spellings of every row. */
const ROWS = [...(isFull ? routes : KINDS.map(rowOf)), ...consoleRoutes, faucetRoute];
const AT_ONCE = 200;

const gateway = await startTestGateway({}, { paid: true });

interface Asked {
  readonly name: string;
  readonly request: WireRequest;
}

/** A row asked for by a verb in every spelling. */
const everySpelling = (verb: string, route: Route, spellings: Readonly<Record<string, Spelling>>): Asked[] =>
  Object.entries(spellings).map(([name, spell]) => ({
    name: `${verb} ${route.id}, ${name}`,
    request: requestTo(gateway.port, verb, spell(pathOf(route))),
  }));

/** A 5xx, a 200 without a sign-in, or anything outside the contract. */
function wrong({ name, request: { method } }: Asked, answer: WireAnswer | undefined, mayPass: boolean): string[] {
  const status = answer?.status ?? 0;
  const served = status === 200 && !mayPass ? ['served without a sign-in'] : [];
  const broke = status >= 500 ? ['a 5xx'] : [];
  // Files of the console are revalidated instead.
  const isFile = answer?.headers['cache-control'] === 'no-cache' && answer.headers.etag !== undefined;
  const faults = faultsOf(answer, method).filter((fault) => !(isFile && fault.endsWith('no Cache-Control')));
  return [...faults, ...served, ...broke].map((fault) => `${name}: ${fault}`);
}

async function wrongAnswers(asked: readonly Asked[], mayPass: boolean): Promise<string[]> {
  const answers = await askAll(
    gateway.port,
    asked.map(({ request }) => request),
  );
  return asked.flatMap((one, index) => wrong(one, answers[index], mayPass));
}

describe('every spelling of a path, without a sign-in', () => {
  it.each([...KNOWN_VERBS, ...OTHER_VERBS])('%s: no upstream call, and an answer of the contract', async (verb) => {
    const other = OTHER_VERBS.indexOf(verb);
    for (const route of isFull || other < 0 ? ROWS : [ROWS[other % ROWS.length] as Route]) {
      const faults = await wrongAnswers(everySpelling(verb, route, SPELLINGS), route.access === 'public');
      expect(faults.slice(0, 5)).toEqual([]);
    }
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it.each(['GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE'])('%s of an unreadable target is a 400', async (verb) => {
    const asked = ROWS.flatMap((route) => everySpelling(verb, route, UNREADABLE));
    const answers: (WireAnswer | undefined)[] = [];
    // One address may hold only so many connections at once.
    for (let from = 0; from < asked.length; from += AT_ONCE) {
      const some = asked.slice(from, from + AT_ONCE).map(({ request }) => askOne(gateway.port, request));
      answers.push(...(await Promise.all(some)));
    }
    expect(asked.flatMap((one, index) => wrong(one, answers[index], false)).slice(0, 5)).toEqual([]);
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([400]));
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('encoded letters of a literal segment make no difference', async () => {
    const asked = gated.map((route) => requestTo(gateway.port, route.httpMethod, encodedLetter(pathOf(route))));
    const answers = await askAll(gateway.port, asked);
    expect(answers.map(statusAndCode)).toEqual(gated.map(() => '402 sign_in_required'));
    const described = answers.map((answer) => JSON.parse(answer?.body ?? '{}').resource.description);
    expect(described).toEqual(gated.map(({ description }) => description));
    expect(gateway.upstream.arrivals).toEqual([]);
  });
});
