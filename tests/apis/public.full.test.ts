import { readdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createFreeClient } from '@asset-gateway/client';
import { routesIn } from '@asset-gateway/client/pay';
import { callParameters, requestFor } from '@asset-gateway/client/tools';
import { isObject, losslessJson } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { issuesOf, type ListedRoute } from '../../packages/client/src/catalog.ts';
import { OpenApiDocument, type Operation } from '../../packages/gateway/src/apis/document.ts';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { readMembers } from '../../packages/gateway/src/config/apis-file/text.ts';
import { serveApis } from './apis.ts';
import { PUBLIC_DOCUMENTS, writeDocument } from './document-files.ts';

/** Documents that others have written. DOCUMENTS names a folder with more, and TABLE a file for one line each. */
const { DOCUMENTS = 'tests/apis/documents' } = process.env;
const inFolder = readdirSync(DOCUMENTS)
  .filter((name) => /\.(?:json|ya?ml)$/.test(name))
  .map((name) => join(DOCUMENTS, name));
const fromNpm = Object.values(PUBLIC_DOCUMENTS).map((path) => relative('.', path));
const files = process.env.DOCUMENTS ? inFolder : [...inFolder, ...fromNpm];

const JSON_TYPE = /^(?:application\/(?:[\w.-]+\+)?json|application\/\*|\*\/\*)\s*(?:;|$)/i;
const SUCCESS = /^(?:20[0124]|2XX)$/i;
const nameOf = ({ verb, path }: Operation): string => `${verb} ${path}`;

/** Whether the document says that an operation's body is JSON or absent, and its success JSON or empty. */
function isJsonOrEmpty(document: OpenApiDocument, { node }: Operation): boolean {
  const typesOf = (value: unknown): string[] => {
    const found = document.resolve(value);
    return isObject(found) && isObject(found.content) ? Object.keys(found.content) : [];
  };
  const isJson = (types: readonly string[]) => types.length === 0 || types.some((each) => JSON_TYPE.test(each));
  const all = Object.entries(isObject(node.responses) ? node.responses : {});
  const successes = all.filter(([status]) => SUCCESS.test(status));
  const answers = successes.length > 0 ? successes : all.filter(([status]) => status === 'default');
  return isJson(typesOf(node.requestBody)) && answers.some(([, answer]) => isJson(typesOf(answer)));
}

/** The operations of a document that are served together, and the reason for each other one. */
function served(openapi: string, document: OpenApiDocument) {
  const reasons = new Map<string, string>();
  const all = document.operations();
  for (;;) {
    const some = all.filter((operation) => !reasons.has(nameOf(operation)));
    const operations = Object.fromEntries(some.map((operation) => [nameOf(operation), {}]));
    const real = { title: 'Real', url: 'https://real.example', openapi, operations };
    const { faults } = readApisFile(writeDocument({ apis: { real } }));
    if (faults.length === 0) return { some, operations, reasons };
    const before = reasons.size;
    for (const operation of some) {
      const start = `apis.real: operations.${nameOf(operation)}: ${nameOf(operation)}: `;
      const fault = faults.find((each) => each.startsWith(start));
      if (fault) reasons.set(nameOf(operation), fault.slice(start.length));
    }
    if (reasons.size === before) throw new Error(faults.join('\n'));
  }
}

/** The status of an operation's success in its document. */
const statusOf = ({ node }: Operation): number =>
  [200, 201, 202, 204].find((status) => isObject(node.responses) && status in node.responses) ?? 200;

/** The values of the catalog's example, by parameter. */
function valuesOf(route: ListedRoute & Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { httpMethod, pathParamsExample, queryParamsExample, inputExample } = route;
  const isGet = httpMethod === 'GET';
  const body = isGet ? undefined : inputExample;
  const examples = { path: pathParamsExample, query: isGet ? inputExample : queryParamsExample, body };
  const parameters = callParameters(route);
  const given = parameters.flatMap(({ name, key, place }) => {
    const example = examples[place];
    const value = isObject(example) ? example[key] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const inBody = parameters.filter(({ place }) => place === 'body');
  const others = isObject(body) ? Object.entries(body).filter(([name]) => !inBody.some(({ key }) => key === name)) : [];
  const [only] = inBody;
  const isWhole = only?.key === 'body' && !('properties' in (route.inputSchema as object));
  return Object.fromEntries(isWhole && body !== undefined ? [...given, [only.name, body]] : [...others, ...given]);
}

it.each(files)(
  'each operation of %s that is served answers a call with the example of the catalog, which a payer accepts',
  { timeout: 600_000 },
  async (file) => {
    const openapi = resolve(file);
    const document = new OpenApiDocument(readMembers(openapi));
    const { some, operations, reasons } = served(openapi, document);
    const { gateway, stub, rows } = await serveApis({
      real: { title: 'Real', openapi, requestsPerMinute: 1_000_000, operations },
    });
    const client = createFreeClient({ baseUrl: gateway.url });
    const catalog = (await (await fetch(`${gateway.url}/v1/catalog?provider=real`)).json()) as { routes: object[] };
    const listed = new Map(routesIn(catalog)?.map((route, at) => [route.method, { ...catalog.routes[at], ...route }]));
    const failures: string[] = [];
    for (const [index, { method }] of rows.entries()) {
      const route = listed.get(method) as ListedRoute & Readonly<Record<string, unknown>>;
      const values = valuesOf(route);
      stub.status = statusOf(some[index] as Operation);
      const before = stub.arrivals.length;
      const failure = await client.call(`real.${method}`, values).then(
        () => (stub.arrivals.length === before + 1 ? [] : ['the API was not called once']),
        (error: Error) => [error.message],
      );
      if (failure.length > 0) {
        failures.push(`${method} ${JSON.stringify(values)}: ${failure}`);
        continue;
      }
      const { path, body } = requestFor(route, values);
      const json = body === undefined ? body : losslessJson(body);
      const request = { url: gateway.url + path, method: route.httpMethod, body: json };
      const issues = issuesOf(route, request as never).map(
        ({ name, message }) => `a payer refuses ${name}: ${message}`,
      );
      failures.push(...issues.map((each) => `${method} ${JSON.stringify(values)}: ${each}`));
    }
    const all = document.operations();
    const fitting = all.filter((operation) => isJsonOrEmpty(document, operation));
    const left = fitting.flatMap((operation) => reasons.get(nameOf(operation)) ?? []);
    const line = [file, all.length, fitting.length, fitting.length - left.length, some.length, failures.length];
    if (process.env.TABLE) writeFileSync(process.env.TABLE, `${[...line, ...left].join(' | ')}\n`, { flag: 'a' });
    expect(failures).toEqual([]);
  },
);
