import { writeDocument } from '../apis/document-files.ts';

/** The path of an APIS_FILE with this lifetime of an asset-data route. */
export const cacheFile = (method: string, freshSeconds: number, maxStaleSeconds: number): string =>
  writeDocument({ tokens: { operations: { [method]: { cache: { freshSeconds, maxStaleSeconds } } } } });
