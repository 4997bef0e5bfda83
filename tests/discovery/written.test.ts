import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writtenPages } from '../../packages/gateway/src/describe/pages.ts';
import { freePort } from '../http/ports.ts';
import type { TestGateway } from '../kit/test-gateway.ts';
import { endpointOf, served, startEverything } from './everything.ts';

const pages = writtenPages();

describe('the pages in the repository', () => {
  it.each(Object.keys(pages))('%s is what the table says; `npm run docs` writes it', (path) => {
    expect(readFileSync(path, 'utf8') === pages[path], `${path} is out of date: run npm run docs`).toBe(true);
  });

  it('are the four that there are', () => {
    expect(Object.keys(pages)).toEqual([
      'docs/routes.md',
      'packages/client/src/methods.ts',
      'packages/console/src/routes/system-rows.ts',
      'openapi.json',
    ]);
  });

  it('name every route', () => {
    for (const route of served) expect(pages['docs/routes.md']).toContain(`\`${endpointOf(route)}\``);
  });
});

describe('a gateway that serves everything', () => {
  let gateway: TestGateway;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    gateway = await startEverything({ GATEWAY_BASE_URL: 'http://localhost:8402', PORT: String(port) });
  });
  afterAll(() => gateway.stop());

  it('serves the OpenAPI document of the repository', async () => {
    const served = await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json();
    expect(served).toEqual(JSON.parse(readFileSync('openapi.json', 'utf8')));
  });
});
