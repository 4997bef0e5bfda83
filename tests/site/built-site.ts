import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { node, type Outcome, runCommand } from '../kit/command.ts';
import { startStrangeGateway } from '../kit/strange-gateway.ts';

/** The path below which the site is served, and the address that its package.json names. */
const BASE = '/any/base/';
export const HOMEPAGE = `https://docs.example${BASE}`;

/** What shows that dependencies and packages are there, which the reference is made from. */
const SET_UP = ['node_modules', 'package-lock.json', 'rolldown.config.mjs', 'tsconfig.base.json', '.setup/built'];
/** What the generator reads or is run by, and what its pages only link to. */
const COPIED = ['package.json', '.npmrc', 'scripts', 'site', 'docs', /^[A-Z_]+\.md$/];
const LINKED = ['packages', 'deploy', 'examples', 'tests', 'LICENSE', ...SET_UP];
const MADE = /(?:^|\/)site\/(?:node_modules|dist)(?:\/|$)/;
const LONG_TIMEOUTS = {
  npm_config_fetch_timeout: '30000',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '5000',
};
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/**
 * The files that the site is made of, in a folder in which no generator is installed: of a repository without an address, of a site with
 * one, and with two pictures.
 */
export function copyDocuments(folder: string): void {
  const isCopied = (name: string) =>
    COPIED.some((each) => (typeof each === 'string' ? each === name : each.test(name)));
  for (const name of readdirSync('.').filter(isCopied))
    cpSync(name, join(folder, name), { recursive: true, filter: (path) => !MADE.test(path) });
  mkdirSync(join(folder, '.setup/pictures'), { recursive: true });
  for (const name of LINKED) symlinkSync(resolve(name), join(folder, name));
  const manifest = { ...JSON.parse(readFileSync('package.json', 'utf8')), repository: undefined, homepage: HOMEPAGE };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  for (const look of ['light', 'dark'])
    cpSync('tests/site/grey.png', join(folder, `.setup/pictures/try-1440-${look}.png`));
}

/** Runs `npm run site` there, as a newcomer would. */
export const makeSite = (folder: string): Promise<Outcome> =>
  runCommand(node('scripts/run.mjs', 'site'), { cwd: folder, env: { ...process.env, ...LONG_TIMEOUTS } });

/** The files of a folder, by their paths from it. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => statSync(join(folder, path)).isFile());

/** Serves a folder below `BASE`, as a host of pages does: unknown addresses get its page for them. Answers with the URL. */
export async function serve(folder: string): Promise<string> {
  const files = new Map(filesIn(folder).map((path) => [BASE + path, path]));
  const { url, answer } = await startStrangeGateway();
  answer(({ path }, response) => {
    const found = files.get(decodeURI(path));
    if (found === undefined) response.statusCode = 404;
    const file = found ?? '404.html';
    const contentType = MEDIA_TYPES[extname(file)] ?? 'application/octet-stream';
    response.setHeader('content-type', contentType).end(readFileSync(join(folder, file)));
  });
  return url + BASE;
}

/** A page as seen by a browser. */
export interface SeenPage {
  readonly url: string;
  readonly ids: readonly string[];
  /** Where its links lead, and what it loads, as whole URLs. */
  readonly links: readonly string[];
  readonly loaded: readonly string[];
}

/**
 * Broken links and resources from elsewhere, one line each.
 * @param pages all pages of the site
 * @param files the URLs of its other files
 */
export function linkFaults(pages: readonly SeenPage[], files: readonly string[]): string[] {
  const idsOf = new Map(pages.map(({ url, ids }) => [url, new Set(ids)]));
  const isThere = (url: string): boolean => idsOf.has(url) || files.includes(url);
  const origins = new Set(pages.map(({ url }) => new URL(url).origin));
  const faultOf = (link: string): string | undefined => {
    const { origin, protocol, hash } = new URL(link);
    if (!origins.has(origin)) return protocol === 'https:' ? undefined : 'is no https address';
    const [address = ''] = link.split('#');
    if (!isThere(address)) return 'leads nowhere';
    return hash === '' || idsOf.get(address)?.has(decodeURIComponent(hash.slice(1))) ? undefined : 'has no such anchor';
  };
  return pages.flatMap(({ url, links, loaded }) => [
    ...links.flatMap((link) => faultOf(link)?.replace(/^/, `${url}: ${link} `) ?? []),
    ...loaded.filter((address) => !isThere(address)).map((address) => `${url}: ${address} is not of the site`),
  ]);
}
