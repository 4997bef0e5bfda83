import { createHash } from 'node:crypto';

/** A public document: its text, and what caches need to know about it. */
export interface Document {
  readonly json: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A text that anybody may keep for so long, and then ask whether it has changed. */
export function document(text: string, maxAgeSeconds: number): Document {
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { json: text, headers: { ETag: `"${tag}"`, 'Cache-Control': `public, max-age=${maxAgeSeconds}` } };
}
