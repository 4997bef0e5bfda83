import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '@asset-gateway/gateway';
import { check } from '../../packages/gateway/src/config/apis-file/check.ts';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
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

/** The faults of a file with these APIs. */
export const faultsOf = (apis: object): readonly string[] => readApisFile(writeDocument({ apis })).faults;

/** The exit code and the output of `asset-gateway check`. */
export function runCheck(words: readonly string[], environment: Environment = {}) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const into = (texts: string[]) => ({ write: (text: string) => texts.push(text) });
  const code = check(words, { stdout: into(stdout), stderr: into(stderr) }, environment);
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Documents of real services, from npm. */
export const PUBLIC_DOCUMENTS = {
  blockfrost: resolve('node_modules/@blockfrost/openapi/openapi.yaml'),
  figma: resolve('node_modules/@figma/rest-api-spec/openapi/openapi.yaml'),
  rclone: resolve('node_modules/rclone-openapi/openapi.yaml'),
} as const;
