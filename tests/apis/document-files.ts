import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../kit/folder.ts';

export const KEY = 'CANARY_0123456789_api_key';

/** The path of a document of these tests. */
export const documentPath = (name: string): string => resolve(import.meta.dirname, 'documents', name);

/** Writes a document or a file of APIs, and returns its path. */
export function writeDocument(value: unknown): string {
  const path = join(makeFolder(), 'document.json');
  writeFileSync(path, JSON.stringify(value));
  return path;
}

/** Documents of real services, from npm. */
export const PUBLIC_DOCUMENTS = {
  blockfrost: resolve('node_modules/@blockfrost/openapi/openapi.yaml'),
  figma: resolve('node_modules/@figma/rest-api-spec/openapi/openapi.yaml'),
  rclone: resolve('node_modules/rclone-openapi/openapi.yaml'),
} as const;
