import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { createFreeClient } from '@asset-gateway/client';
import { type ListedRoute } from '@asset-gateway/client/pay';
import { callParameters } from '@asset-gateway/client/tools';
import { isObject } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { DocumentFault, OpenApiDocument, type Operation, readMembers } from '../../packages/gateway/src/apis/document.ts';
import { rowOf } from '../../packages/gateway/src/apis/rows.ts';
import { serveApis } from './apis.ts';

/** Documents that others have written; DOCUMENTS names a folder with more. */
const folder = resolve(process.env.DOCUMENTS ?? `${import.meta.dirname}/documents`);
const files = readdirSync(folder).filter((name) => /\.(?:json|ya?ml)$/.test(name));
/** Rows of one gateway. */
const SERVED_AT_ONCE = 200;

const isServed = (document: OpenApiDocument) => (operation: Operation) => {
  try {
    rowOf(document, operation, { api: 'real', access: 'siwx', cluster: 'mainnet', keyName: undefined });
    return true;
  } catch (error) {
    if (error instanceof DocumentFault) return false;
    throw error;
  }
};

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
    const value = isObject(example) ? example[key] : example;
    return value === undefined ? [] : [[name, value]];
  });
  const described = new Set(parameters.map(({ key }) => key));
  const others = isObject(body) ? Object.entries(body).filter(([name]) => !described.has(name)) : [];
  const whole = parameters.find(({ place, key }) => place === 'body' && key === 'body');
  return Object.fromEntries([...others, ...given, ...(whole && body !== undefined ? [[whole.name, body]] : [])]);
}

it.each(files)('each operation of %s that is served answers a call with the example of the catalog', async (file) => {
  const openapi = resolve(folder, file);
  const document = new OpenApiDocument(readMembers(openapi));
  const all = document.operations().filter(isServed(document));
  const failures: string[] = [];
  for (let at = 0; at < all.length; at += SERVED_AT_ONCE) {
    const some = all.slice(at, at + SERVED_AT_ONCE);
    const operations = Object.fromEntries(some.map(({ verb, path }) => [`${verb} ${path}`, {}]));
    const { gateway, stub, rows } = await serveApis({ real: { title: 'Real', openapi, requestsPerMinute: 1e6, operations } });
    const client = createFreeClient({ baseUrl: gateway.url });
    const listed = (await (await fetch(`${gateway.url}/v1/catalog?provider=real`)).json()) as { routes: ListedRoute[] };
    for (const [index, { method }] of rows.entries()) {
      const route = listed.routes.find((each) => each.method === method) as ListedRoute & Record<string, unknown>;
      stub.status = statusOf(some[index] as Operation);
      const before = stub.arrivals.length;
      const error = await client.call(`real.${method}`, valuesOf(route)).then(
        () => undefined,
        (thrown: Error) => thrown.message,
      );
      if (error !== undefined || stub.arrivals.length !== before + 1)
        failures.push(`${method} ${JSON.stringify(valuesOf(route)).slice(0, 300)}: ${error}`);
    }
    await gateway.stop?.();
  }
  console.log(`${file}: ${all.length} of ${document.operations().length} served, ${failures.length} calls failed`);
  expect(failures).toEqual([]);
}, 900_000);
