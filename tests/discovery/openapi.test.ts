import { readFileSync } from 'node:fs';
import type { Environment } from '@asset-gateway/gateway';
import { REFUSALS, type RefusalCode, type Route, routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { usualOpenApi, writtenPages } from '../../packages/gateway/src/describe/pages.ts';
import { freePort } from '../http/ports.ts';
import { exampleOf, gated, rowOf } from '../http/targets.ts';
import { alternatives } from '../kit/page.ts';
import { everyThird, isFull } from '../kit/rounds.ts';
import { DEFAULT_PRICES, startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { problemsIn } from './checks.ts';
import { endpointOf, served, startEverything } from './everything.ts';
import { codesOf, faultsOf, type OpenApiDocument, type Operation, operationsOf } from './openapi-document.ts';

const written = usualOpenApi();
const document: OpenApiDocument = JSON.parse(written);
const operations = operationsOf(document);

const gateway = await startEverything();

const pages = writtenPages();

describe('the pages in the repository', () => {
  it.each(Object.keys(pages))('%s is up to date; `npm run docs` writes it', (path) => {
    expect(readFileSync(path, 'utf8') === pages[path], `${path} is out of date: run npm run docs`).toBe(true);
  });

  it('are these three', () => {
    expect(Object.keys(pages)).toEqual(['docs/routes.md', 'docs/errors.md', 'docs/operating/alerts.md']);
  });

  it('have a section or a line for each error code, with its status and message', () => {
    const sections = (pages['docs/errors.md'] ?? '').split(/^###? /m);
    const found = sections.flatMap((section) => {
      const [, title, status, message] = /^(\S+)\n\n\*\*(\d+)[^*]*\*\* ([^\n]+)/.exec(section) ?? [];
      if (!title?.endsWith('…')) return title ? [[title, status, message]] : [];
      return [...section.matchAll(/^- (.+?): (.+)$/gm)].flatMap(([, codes = '', words]) =>
        (codes.match(/\w+/g) ?? []).map((code) => [code, status, `${message} ${words}`]),
      );
    });
    const refusals = Object.entries(REFUSALS).map(([code, { status, message }]) => {
      const [statement] = message.split(/(?=; |\.$)/);
      return [code, String(status), expect.stringContaining(statement ?? '')];
    });
    expect(found).toHaveLength(refusals.length);
    expect(found).toEqual(expect.arrayContaining(refusals));
  });

  it('name every route', () => {
    const quoted = pages['docs/routes.md']?.match(/(?<=`)(?:GET|POST) [^`]+(?=`)/g) ?? [];
    expect(quoted.flatMap(alternatives)).toEqual(expect.arrayContaining(served.map(endpointOf)));
  });
});

/** The document of another gateway. */
async function documentOf(variables: Environment, paid: boolean): Promise<string> {
  const other = await startTestGateway(variables, { paid });
  const text = await (await fetch(`${other.url}/openapi.json`)).text();
  await other.stop();
  return text;
}

describe('a linter', async () => {
  const small = await documentOf({}, false);

  it('finds no fault in the whole document', async () => expect(await problemsIn(written)).toEqual([]));

  // The document of everything has all of them but the titles and the summaries.
  it.runIf(isFull)('finds no fault in the documents of asset data, of paid routes alone and of credit', async () => {
    const paid = [await documentOf({ TOKENS_API_KEY: '' }, true), await documentOf({ CREDIT: 'on' }, true)];
    for (const text of [small, ...paid]) expect(await problemsIn(text)).toEqual([]);
  });

  const faults: readonly [rule: string, right: string, wrong: string][] = [
    ['no-unresolved-refs', 'schemas/Error"', 'schemas/Nothing"'],
    ['no-invalid-parameter-examples', '"example":"sol"', '"example":1'],
    ['operation-operationId-unique', '"tokensCurated"', '"tokensSearch"'],
    ['security-defined', '"siwx":[]', '"other":[]'],
    ['struct', '"summary":', '"sumary":'],
  ];
  it('finds each fault in a faulty document', async () => {
    for (const [, right] of faults) expect(small).toContain(right);
    const faulty = faults.reduce((text, [, right, wrong]) => text.replace(right, wrong), small);
    const rules = (await problemsIn(faulty)).map((problem) => problem.split(':')[0]);
    expect(rules).toEqual(expect.arrayContaining(faults.map(([rule]) => rule)));
  });
});

describe('the errors in the document', () => {
  /** Codes outside routes, and of blocked clients. */
  const NOWHERE = ['not_found', 'method_not_allowed', 'blocked'];

  it('are all codes that a route can have, each under its status', () => {
    const shown = new Map<RefusalCode, Set<number>>();
    for (const [, { responses }] of operations) {
      for (const [status, response] of Object.entries(responses)) {
        for (const code of codesOf(response)) shown.set(code, (shown.get(code) ?? new Set()).add(Number(status)));
      }
    }
    for (const [code, { status }] of Object.entries(REFUSALS) as [RefusalCode, { status: number }][]) {
      expect(shown.get(code)?.has(status) ?? false, code).toBe(!NOWHERE.includes(code) && !code.startsWith('credit_'));
    }
    expect([...(shown.get('upstream_rejected') ?? [])].sort()).toEqual([400, 404, 422]);
  });

  it('match the gate of the route', () => {
    for (const [{ access, input }, { responses }] of operations) {
      const codes = Object.values(responses).flatMap(codesOf);
      expect(codes.includes('sign_in_required')).toBe(access === 'siwx');
      expect(codes.includes('payment_required')).toBe(access === 'exact');
      expect(codes.includes('upstream_timeout')).toBe(access !== 'public');
      expect(codes.includes('invalid_json')).toBe(input.body !== undefined);
    }
  });
});

describe('answers match the document', () => {
  const byRow = new Map(operations);
  const check = async (route: Route, response: Response): Promise<void> => {
    expect(await faultsOf(byRow.get(route) as Operation, response)).toEqual([]);
  };
  const ask = ({ target, init }: ReturnType<typeof exampleOf>) => fetch(gateway.url + target, init);

  const publicRows = routes.filter(({ access }) => access === 'public');
  it.each(publicRows.map((route) => [route.path, route] as const))('%s', async (_, route) => {
    const response = await ask(exampleOf(route));
    expect(response.status).toBe(200);
    const tag = response.headers.get('etag');
    await check(route, response);
    await check(route, await fetch(`${gateway.url}${route.path}?x=1`));
    if (tag)
      await check(route, await fetch(gateway.url + exampleOf(route).target, { headers: { 'If-None-Match': tag } }));
  });

  it.each(everyThird(gated, 0).map((route) => [route.id, route] as const))(
    'success and refusals of %s',
    async (_, route) => {
      const { target, init } = exampleOf(route);
      const url = gateway.url + target;
      const success = await askSigned(url, init);
      expect(success.status).toBe(200);
      await check(route, success);
      await check(route, await askSigned(`${gateway.url}${target.split('?')[0]}?${'x'.repeat(10)}=1`, init));
      for (const status of [404, 500]) {
        gateway.upstream.faults.status = status;
        await check(route, await askSigned(url, init));
      }
      gateway.upstream.faults.reset();
    },
  );

  it('the refusal of invalid JSON, of another type, and of a body that is too long', async () => {
    const route = rowOf('tokens.marketSnapshots');
    const json = { 'Content-Type': 'application/json' };
    const bodies = [
      { headers: json, body: '{' },
      { headers: { 'Content-Type': 'text/plain' }, body: '{}' },
      { headers: json, body: 'x'.repeat(70_000) },
    ];
    const statuses: number[] = [];
    for (const { headers, body } of bodies) {
      const url = gateway.url + route.path;
      const signIn = await signedHeader(url, { method: 'POST' });
      const response = await fetch(url, { method: 'POST', headers: { ...headers, 'SIGN-IN-WITH-X': signIn }, body });
      statuses.push(response.status);
      await check(route, response);
    }
    expect(statuses).toEqual([400, 415, 413]);
  });
});

describe('rows that share a method', () => {
  it('share their schemas', () => {
    for (const route of routes) {
      const same = routes.filter(({ surface, method }) => surface === route.surface && method === route.method);
      for (const other of same) {
        expect(JSON.stringify([other.input, other.result])).toBe(JSON.stringify([route.input, route.result]));
      }
    }
  });
});

it('a gateway that serves everything serves the OpenAPI document of a release', async () => {
  const port = await freePort();
  const place = { GATEWAY_BASE_URL: 'http://localhost:8402', PORT: String(port) };
  const everything = await startEverything({ ...DEFAULT_PRICES, ...place });
  expect(await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()).toEqual(JSON.parse(written));
  await everything.stop();
});
