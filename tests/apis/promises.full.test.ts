import type { Route, Values } from '@asset-gateway/protocol';
import { isPaymentRequired } from '@x402/core/schemas';
import { describe, expect, it } from 'vitest';
import { OpenApiDocument as DocumentReader, type Operation } from '../../packages/gateway/src/apis/document.ts';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { readMembers } from '../../packages/gateway/src/config/apis-file/text.ts';
import {
  challengeFrom,
  expectChallenge,
  expectEntry,
  expectOperation,
  MAX_HEADER_LENGTH,
  problemsIn,
} from '../discovery/checks.ts';
import { faultsOf, type OpenApiDocument, operationOf } from '../discovery/openapi-document.ts';
import { exampleOf } from '../http/targets.ts';
import { isFull } from '../kit/rounds.ts';
import { askSigned, newSigner } from '../kit/wallet.ts';
import { type ApiEntry, serveApis } from './apis.ts';
import { PUBLIC_DOCUMENTS, writeDocument } from './document-files.ts';

/** How the services behind the documents take their keys. */
const KEYS = {
  blockfrost: { header: 'project_id', env: 'TEST_API_KEY' },
  figma: { header: 'X-Figma-Token', env: 'TEST_API_KEY' },
  rclone: { bearer: true, env: 'TEST_API_KEY' },
} as const;

type PublicDocument = keyof typeof KEYS;
const DOCUMENTS = Object.keys(KEYS) as PublicDocument[];

const nameOf = ({ node, verb, path }: Operation): string => String(node.operationId ?? `${verb} ${path}`);

/** The entry of an API with these operations. */
const entryOf = (document: PublicDocument, names: readonly string[], settings: ApiEntry = {}): ApiEntry => ({
  title: document,
  openapi: PUBLIC_DOCUMENTS[document],
  key: KEYS[document],
  requestsPerMinute: 1_000_000,
  operations: Object.fromEntries(names.map((name) => [name, {}])),
  ...settings,
});

const read = (document: PublicDocument) => new DocumentReader(readMembers(PUBLIC_DOCUMENTS[document]));

const versionOf = (document: PublicDocument): string => String(read(document).root.openapi);

/** Every operation of a document, as the reader of a file of APIs judges it: its name there, and its row, or why it has none. */
function judge(document: PublicDocument) {
  const operations = read(document).operations();
  const readEntry = (names: readonly string[]) => {
    const entry = { url: 'https://api.example', ...entryOf(document, names) };
    return readApisFile(writeDocument({ apis: { [document]: entry } }));
  };
  const { faults } = readEntry(operations.map(nameOf));
  const judged = operations.map((operation) => {
    const name = nameOf(operation);
    const endpoint = `${operation.verb} ${operation.path}`;
    const place = `apis.${document}: operations.${name}: ${endpoint}: `;
    const fault = faults.find((each) => each.startsWith(place));
    return { name, endpoint, fault: fault?.slice(place.length) };
  });
  const names = judged.flatMap(({ name, fault }) => (fault === undefined ? [name] : []));
  const rows = readEntry(names).apis[0]?.rows ?? [];
  return judged.map((each) => ({ ...each, row: rows[names.indexOf(each.name)] }));
}

const judged = new Map(DOCUMENTS.map((document) => [document, judge(document)]));
const judgeAll = (document: PublicDocument) => judged.get(document) ?? [];

/** The operations of a document that the gateway can serve. */
const servedOf = (document: PublicDocument) =>
  judgeAll(document).flatMap(({ name, row }) => (row ? [{ name, row }] : []));

const PAID = '-paid';
const MAX_SHOWN = 400;
const PRICE = '0.002';
/** Its schema exceeds what a header may hold. */
const TOO_LARGE = 'postVariables';
/** Its schema asks for one member by two enums, so that the simplest value breaks it. */
const WITHOUT_EXAMPLE = 'getFile';
/** Headers of the cache, which the document leaves out. */
const OF_CACHE = /^header (?:age|cache-status|etag) is not/;
const CACHE = { freshSeconds: 600, maxStaleSeconds: 600 };

/** The verb of a row, and the types of the values in each of its places. */
function kindOf({ httpMethod, input }: Route): string {
  const places = Object.entries(input).map(([place, { properties }]) => {
    const types = Object.values(properties as Record<string, { type?: string }>).map(({ type }) => type);
    return [place, ...new Set(types.sort())].join(' ');
  });
  return [httpMethod, ...places].join();
}

/** One operation of each kind, and those two; all with ROUNDS=full. */
function namesOf(document: PublicDocument): string[] {
  const served = servedOf(document);
  const ofEachKind = new Map(served.map(({ name, row }) => [kindOf(row), name]));
  const wanted = [...ofEachKind.values(), TOO_LARGE, WITHOUT_EXAMPLE];
  return served.map(({ name }) => name).filter((name) => isFull || wanted.includes(name));
}

const entries = DOCUMENTS.flatMap((document) => {
  const names = namesOf(document);
  return [
    [document, entryOf(document, names, { cache: CACHE })] as const,
    [`${document}${PAID}`, entryOf(document, names, { access: 'exact', price: PRICE })] as const,
  ];
});
const { gateway, stub, rows } = await serveApis(Object.fromEntries(entries), { RESPONSE_CACHE: 'on' });
const free = rows.filter(({ access }) => access === 'siwx');
const paid = rows.filter(({ access }) => access === 'exact');
const signer = newSigner();

/** What `check` says of each row that is not as promised. */
async function faultsIn(some: readonly Route[], check: (row: Route) => Promise<unknown>): Promise<string[]> {
  const faults: string[] = [];
  for (const row of some) {
    await check(row).catch(({ message, actual }) =>
      faults.push(`${row.id}: ${message} ${JSON.stringify(actual)?.slice(0, MAX_SHOWN)}`),
    );
  }
  return faults;
}

/** Each row must hold `check`, which makes no call to the API. */
async function expectWithoutCalls(some: readonly Route[], check: (row: Route) => Promise<unknown>): Promise<void> {
  const before = stub.arrivals.length;
  expect(await faultsIn(some, check)).toEqual([]);
  expect(stub.arrivals).toHaveLength(before);
}

const urlOf = (row: Route): string => gateway.url + exampleOf(row).target;
const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as OpenApiDocument;

describe('every operation of the public documents', () => {
  it('describes itself in its challenge as the official validators want', { timeout: 120_000 }, async () => {
    const described = paid.filter(({ id }) => !id.endsWith(TOO_LARGE));
    await expectWithoutCalls(described, (row) => expectChallenge(gateway.url, row, document));
  });

  it('omits from its challenge only the parts that do not fit', async () => {
    for (const row of paid.filter(({ id }) => id.endsWith(TOO_LARGE))) {
      const { header, required } = await challengeFrom(gateway.url, row);
      expect(header.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
      expect([isPaymentRequired(required), required.extensions?.bazaar]).toEqual([true, undefined]);
    }
  });

  it('answers a signature with the example of its document', async () => {
    const faults = await faultsIn(free, async (row) => {
      const response = await askSigned(urlOf(row), exampleOf(row).init, signer);
      const checked = response.clone();
      expect([response.status, await response.json()]).toEqual([
        200,
        { ok: true, provider: row.provider, surface: row.surface, method: row.method, result: row.result.example },
      ]);
      // Without an example the stub answers null.
      if (row.method === WITHOUT_EXAMPLE) return;
      expect(row.result.example).not.toBe(null);
      const differences = await faultsOf(operationOf(document, row), checked);
      expect(differences.filter((each) => !OF_CACHE.test(each))).toEqual([]);
    });
    expect(faults).toEqual([]);
    expect(stub.arrivals).toHaveLength(free.length);
  });

  it('is in the catalog and in the OpenAPI document as in the table', async () => {
    const { routes } = (await (await fetch(`${gateway.url}/v1/catalog`)).json()) as { routes: Values[] };
    const entryOf = new Map(routes.map((entry) => [`${entry.httpMethod} ${entry.path}`, entry]));
    const faults = await faultsIn(rows, async (row) => {
      const entry = entryOf.get(`${row.httpMethod} ${row.path}`) ?? {};
      expectEntry(entry, row);
      expectOperation(operationOf(document, row), row);
      expect(entry.priceUsd).toBe(row.access === 'exact' ? PRICE : '0.00');
    });
    expect(faults).toEqual([]);
  });

  it('leaves the OpenAPI document without a fault that a linter finds', { timeout: 120_000 }, async () => {
    const problems = await problemsIn(JSON.stringify(document));
    // Services have paths such as /assets/{asset}/history and /assets/policy/{id}; fixed segments win.
    expect(problems.filter((each) => !each.startsWith('no-ambiguous-paths'))).toEqual([]);
  });
});

const inputOf = (input: object): string =>
  Object.entries(input)
    .map(([place, schema]) => `${place} ${Object.keys(schema.properties).join(' ')}`)
    .join('; ');

it.each(DOCUMENTS)(
  'the document of %s is served as recorded, and each operation that is not served names its reason',
  async (document) => {
    const judged = judgeAll(document);
    const lines = judged.map(({ endpoint, row, fault }) => {
      expect([endpoint, row === undefined]).toEqual([endpoint, fault !== undefined]);
      return `${endpoint}\n    ${row ? `${row.method} (${inputOf(row.input)})` : `not served: ${fault}`}`;
    });
    const served = judged.filter(({ row }) => row).length;
    const count = `OpenAPI ${versionOf(document)}: ${served} of ${judged.length} operations are served.`;
    await expect(`${[count, ...lines].join('\n')}\n`).toMatchFileSnapshot(`recorded/${document}.txt`);
  },
);
