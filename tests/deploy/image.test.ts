import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { freePort } from '../http/ports.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { type Command, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { askSigned } from '../kit/wallet.ts';
import { buildImage, copyContext, pathsIn, type Stage } from './image.ts';

const folder = makeFolder();

describe('the context of the image', () => {
  it('has the files that the Dockerfile copies, and no secret, store, test or build', () => {
    const context = join(folder, 'seen');
    mkdirSync(context);
    copyContext('.', context);
    const top = pathsIn(context).map((path) => path.split('/').slice(0, 3).join('/'));
    expect([...new Set(top)].filter((path) => !path.startsWith('packages/'))).toEqual([
      '.npmrc',
      'package-lock.json',
      'package.json',
      'packages',
      'rolldown.config.mjs',
      'scripts',
      'scripts/sources.mjs',
      'tsconfig.base.json',
    ]);
    const packages = [...new Set(top)].filter((path) => path.split('/').length === 3);
    expect(packages).toEqual(
      ['client', 'console', 'doctor', 'gateway', 'protocol'].flatMap((name) => {
        const pages = name === 'console' ? ['index.html', 'operate.html', 'public', 'vite.config.ts'] : [];
        return ['package.json', 'src', 'tsconfig.json', ...pages].map((file) => `packages/${name}/${file}`).sort();
      }),
    );
  });
});

/** The words of an instruction that is written as a list. */
const wordsOf = ({ settings }: Stage, keyword: string): string[] =>
  JSON.parse(settings[keyword]?.replace(/^[^[]*/, '') ?? '');

const variablesOf = ({ settings }: Stage): Record<string, string> =>
  Object.fromEntries(settings.ENV?.split(' ').map((pair) => pair.split('=', 2)) ?? []);

/** The image's user if the test runs as root, else the current user. */
function identityOf({ settings }: Stage): { readonly uid: number; readonly gid: number } | undefined {
  const [uid = 0, gid = 0] = settings.USER?.split(':').map(Number) ?? [];
  return process.getuid?.() === 0 ? { uid, gid } : undefined;
}

const environmentOf = (image: Stage, variables: Record<string, string>): Record<string, string> => ({
  ...variablesOf(image),
  DATA_DIR: join(image.root, variablesOf(image).DATA_DIR ?? ''),
  ...variables,
});

/** Runs the image's command, with its own variables and folder and as its user. */
function run(image: Stage, variables: Record<string, string>): Command {
  const [, ...words] = wordsOf(image, 'CMD');
  return startCommand([process.execPath, ...words], {
    cwd: join(image.root, image.workdir),
    env: environmentOf(image, variables),
    ...identityOf(image),
  });
}

function isHealthy(image: Stage, variables: Record<string, string>): boolean {
  const [, ...words] = wordsOf(image, 'HEALTHCHECK');
  return spawnSync(process.execPath, words, { env: environmentOf(image, variables) }).status === 0;
}

/** The files outside of the volume, with their modification times. */
const unchanging = ({ root, settings }: Stage): string[] =>
  pathsIn(root)
    .filter((path) => !`/${path}`.startsWith(settings.VOLUME ?? ''))
    .map((path) => `${path} ${statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs}`);

/** The two installations of a build take a minute of two cores. */
describe.runIf(isFull)('the image, its steps performed in an empty folder', () => {
  let image: Stage;
  let upstream: TokensApi;
  beforeAll(async () => {
    upstream = await startTokensApi({ key: 'a-key-of-the-upstream' });
    chmodSync(folder, 0o755);
    image = await buildImage('deploy/Dockerfile', '.', folder);
  }, 600_000);
  afterAll(() => upstream?.close());

  it('has no source, test, sandbox, client or repository in it', () => {
    const own = pathsIn(image.root).filter((path) => !path.includes('node_modules'));
    expect(
      own.filter((path) => /(?<!\.d)\.ts$|\.test\.|(?:^|\/)(?:tests|sandbox|client|\.git)(?:\/|$)/.test(path)),
    ).toEqual([]);
    expect(own).toContain('app/packages/gateway/bin/main.js');
    expect(own.filter((path) => /^app\/packages\/[^/]+$/.test(path))).toEqual([
      'app/packages/console',
      'app/packages/doctor',
      'app/packages/gateway',
      'app/packages/protocol',
    ]);
  });

  it('has no dependency that only development needs', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const wanted = ['@solana/kit', '@x402/core', '@x402/svm'];
    const unwanted = [...Object.keys(devDependencies), '@biomejs/biome', 'litesvm-linux-x64-gnu', 'viem'];
    const installed = pathsIn(join(image.root, 'app/node_modules')).filter((path) =>
      /^(?:@[^/]+\/)?[^/@]+$/.test(path),
    );
    expect(installed).toEqual(
      expect.arrayContaining([
        ...wanted,
        'libsql',
        `@libsql/${process.platform}-${process.arch}-gnu`,
        'pg',
        'sodium-native',
      ]),
    );
    expect(unwanted.filter((name) => installed.includes(name) && !wanted.includes(name))).toEqual([]);
    expect(installed.filter((name) => packages[`node_modules/${name}`]?.dev)).toEqual([]);
  });

  it('names a non-root user by number, and starts Node directly', () => {
    expect(image.settings.USER).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect([wordsOf(image, 'CMD')[0], wordsOf(image, 'HEALTHCHECK')[0]]).toEqual(['node', 'node']);
    expect(image.settings.EXPOSE).toBe(variablesOf(image).PORT);
  });

  it('serves as that user, writes only into its volume, and exits with 0 on SIGTERM', async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const variables = {
      PORT: String(port),
      HOST: '127.0.0.1',
      GATEWAY_BASE_URL: url,
      TOKENS_API_BASE_URL: upstream.url,
      TOKENS_API_KEY: upstream.key,
    };
    const identity = identityOf(image);
    if (identity) chownSync(join(image.root, 'data'), identity.uid, identity.gid);
    const before = unchanging(image);
    expect(isHealthy(image, variables)).toBe(false);
    const { child, ended, stdout, stderr } = run(image, variables);
    try {
      while (!isHealthy(image, variables) && child.exitCode === null) await pause(50);
      expect(child.exitCode, stdout() + stderr()).toBeNull();
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await askSigned(url + pathOf(rowOf('tokens.health')))).status).toBe(200);
      const page = await fetch(url, { headers: { Accept: 'text/html' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)]);
    } finally {
      child.kill('SIGTERM');
    }
    expect((await ended).code).toBe(0);
    expect(isHealthy(image, variables)).toBe(false);
    expect(unchanging(image)).toEqual(before);
    expect(pathsIn(join(image.root, 'data'))).toContain('gateway.db');
  });
});
