import type { Route } from '@asset-gateway/protocol';
import { OpenApiDocument, type Operation, readMembers } from '../../packages/gateway/src/apis/document.ts';
import { readApisFile } from '../../packages/gateway/src/apis/file.ts';
import { type ApiEntry, documentPath, writeDocument } from './apis.ts';

/** How the services behind the documents take their keys. */
const KEYS = {
  blockfrost: { header: 'project_id', env: 'TEST_API_KEY' },
  figma: { header: 'X-Figma-Token', env: 'TEST_API_KEY' },
  rclone: { bearer: true, env: 'TEST_API_KEY' },
} as const;

export type PublicDocument = keyof typeof KEYS;
export const PUBLIC_DOCUMENTS = Object.keys(KEYS) as PublicDocument[];

/** One operation of a document: its name in a file of APIs, and its row, or why it has none. */
export interface Judged {
  readonly name: string;
  readonly endpoint: string;
  readonly row: Route | undefined;
  readonly fault: string | undefined;
}

const nameOf = ({ node, verb, path }: Operation): string => String(node.operationId ?? `${verb} ${path}`);

/** The entry of an API with these operations. */
export const entryOf = (document: PublicDocument, names: readonly string[], settings: ApiEntry = {}): ApiEntry => ({
  title: document,
  openapi: documentPath(`${document}.yaml`),
  key: KEYS[document],
  requestsPerMinute: 1_000_000,
  operations: Object.fromEntries(names.map((name) => [name, {}])),
  ...settings,
});

const read = (document: PublicDocument) => new OpenApiDocument(readMembers(documentPath(`${document}.yaml`)));

export const versionOf = (document: PublicDocument): string => String(read(document).root.openapi);

/** Every operation of a document, as the reader of a file of APIs judges it. */
export function judgeAll(document: PublicDocument): Judged[] {
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

/** The operations of a document that the gateway can serve. */
export const servedOf = (document: PublicDocument) =>
  judgeAll(document).flatMap(({ name, row }) => (row ? [{ name, row }] : []));
