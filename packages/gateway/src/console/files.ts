import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { consoleRoutes, JSON_MEDIA_TYPE, Refusal } from '@asset-gateway/protocol';
import type { Answer, Arrival } from '../call.ts';
import { codingFor } from '../codings.ts';
import type { OwnAnswer, OwnRoute } from '../upstreams/upstream.ts';

/** A file as an answer. */
export type FileAnswer = Required<Pick<Answer, 'json' | 'body' | 'headers'>>;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The Content-Security-Policy. The page may run only its own files and request only its own origin. No other page can frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Matches file names with a content hash of the build. */
const WITH_HASH = /-[\w-]{8}\.(?:css|js|md)$/;
const FOR_A_YEAR = 'public, max-age=31536000, immutable';
/** The Cache-Control of files that clients may cache but must revalidate each time. */
const CHECKED = 'no-cache';

const tagOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64url').slice(0, 22);

function fileAnswer(name: string, body: Uint8Array, encoding?: string): FileAnswer {
  const isPage = name.endsWith('.html');
  return {
    json: '',
    body,
    headers: {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      ...(encoding && { 'Content-Encoding': encoding }),
      'Cache-Control': WITH_HASH.test(name) ? FOR_A_YEAR : CHECKED,
      ETag: `"${tagOf(body)}"`,
      Vary: isPage ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      ...(isPage && { 'Content-Security-Policy': POLICY }),
    },
  };
}

const MAX_NAMES = 64;

/** Whether a list header has this item, with any weight. */
const headerHas = (header: string | readonly string[] | undefined, item: string): boolean =>
  String(header ?? '')
    .split(',', MAX_NAMES)
    .some((each) => each.split(';', 1)[0]?.trim().toLowerCase() === item);

function readFolder(folder: string) {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    names.map(({ name }) => {
      const body = readFileSync(join(folder, name));
      return [name, { plain: fileAnswer(name, body), zipped: fileAnswer(name, gzipSync(body), 'gzip') }] as const;
    }),
  );
}

function consoleFolder(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('@asset-gateway/console/package.json');
    const folder = join(dirname(manifest), 'dist');
    return existsSync(join(folder, 'index.html')) ? folder : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

/** Returns the file with this name, compressed if the client accepts that. */
type FindFile = (name: string, arrival: Arrival) => FileAnswer | undefined;

/** The console's files. */
export interface ConsoleFiles {
  readonly page: FindFile;
  /** An asset of the public page. The operator's page shares some. */
  readonly part: FindFile;
  /** An asset that only the operator's page uses. */
  readonly operatorPart: FindFile;
}

/** Opens the built console; undefined if it is not installed or built. Reads each folder on its first request. */
export function openConsoleFiles(): ConsoleFiles | undefined {
  const folder = consoleFolder();
  if (folder === undefined) return undefined;
  const from = (path: string): FindFile => {
    let kept: ReturnType<typeof readFolder> | undefined;
    return (name, { headers }) => {
      kept ??= readFolder(path);
      const file = kept.get(name);
      return codingFor(headers?.['accept-encoding'], ['gzip']) ? file?.zipped : file?.plain;
    };
  };
  return {
    page: from(folder),
    part: from(join(folder, 'console')),
    operatorPart: from(join(folder, 'operate')),
  };
}

const PAGE = 'index.html';

/** Returns the console's rows: the page (or the JSON index, by Accept), its files, and its chain reads. */
export function consolePages(files: ConsoleFiles, index: string, chain: OwnAnswer): OwnRoute[] {
  const asJson: Answer = { json: index, headers: { 'Content-Type': JSON_MEDIA_TYPE, Vary: 'Accept' } };
  const answers: Readonly<Record<string, OwnAnswer>> = {
    index: ({ arrival }) => (headerHas(arrival.headers?.accept, 'text/html') && files.page(PAGE, arrival)) || asJson,
    chain,
    consoleFile({ input, arrival }) {
      const file = files.part(String(input.path.file), arrival);
      if (!file) throw new Refusal('not_found', { reason: 'no file of the console' });
      return file;
    },
  };
  return consoleRoutes.flatMap((route) => {
    const answer = answers[route.method];
    return answer ? [{ route, answer }] : [];
  });
}
