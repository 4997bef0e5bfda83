import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Route } from '@asset-gateway/protocol';
import dockerignore from '@balena/dockerignore';
import { extractReceiptFromResponse } from '@x402/extensions/offer-receipt';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { startStubApi } from '../apis/apis.ts';
import { documentPath } from '../apis/document-files.ts';
import { freePort } from '../http/ports.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { type Command, runCommand, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteWith } from '../kit/optional.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { startChains } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { callOf, paymentFor, sendPaid } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { startReceiver } from '../traces/receiver.ts';
import { linkDependencies } from '../tutorials/clone.ts';

/** A stage of a Dockerfile, performed without a container engine: a folder stands in for `/`. */
interface Stage {
  readonly root: string;
  readonly workdir: string;
  /** The arguments of all other instructions, such as USER and CMD. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Variables that would make npm believe that it runs inside the repository or under test. */
const FOREIGN = /^(?:npm_(?:lifecycle|package|config_local_prefix|command)|INIT_CWD$|NODE_|VITEST)/;
const shellEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));

const inside = ({ root, workdir }: Stage, path: string): string => join(root, resolve(workdir, path));

/** The instructions of a Dockerfile with their arguments. */
const instructionsIn = (text: string): [keyword: string, words: string][] =>
  text
    .replace(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [[line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1)]]));

/** Copies as COPY does: a folder gives its content, a file goes into a target that ends in a slash. */
function copy(source: string, target: string): void {
  const isFolder = statSync(source).isDirectory();
  const destination = !isFolder && target.endsWith('/') ? join(target, basename(source)) : target;
  mkdirSync(isFolder ? destination : dirname(destination), { recursive: true });
  cpSync(source, destination, { recursive: true, verbatimSymlinks: true });
}

function performCopy(stage: Stage, argument: string, stages: ReadonlyMap<string, Stage>): void {
  const origin = stages.get(/--from=(\S+)/.exec(argument)?.[1] ?? 'context')?.root;
  if (origin === undefined) throw new Error(`COPY from an unknown stage: ${argument}`);
  const words = argument.split(' ').filter((word) => !word.startsWith('--'));
  const [target = '', ...sources] = words.reverse();
  const slash = target.endsWith('/') ? '/' : '';
  for (const source of sources) copy(join(origin, source), inside(stage, target) + slash);
}

const INSTALL = /^npm ci [^&]*/;

/** A package that no other one contains, in a record of what npm has installed. */
const TOP = /^(?:packages\/[^/]+\/)?node_modules\/(?:@[^/]+\/)?[^/]+$/;

/** The packages that are installed here and that a folder's own packages need in production. */
function productionPackages(folder: string): string[] {
  const { packages } = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8'));
  const isOther = (path: string): boolean => !existsSync(join(folder, path.replace(/node_modules\/.*/, '')));
  return Object.keys(packages).filter(
    (path) => TOP.test(path) && !packages[path].dev && existsSync(path) && !isOther(path),
  );
}

/** Stands for an installation, which takes half a minute of two cores and is made with ROUNDS=full: takes what is installed here. */
async function linkInstalled(stage: Stage, command: string): Promise<void> {
  const target = inside(stage, '.');
  if (!command.includes('--omit=dev')) return linkDependencies(target);
  // The stage deletes some of these files. Only within a file system can files be linked.
  const options = statSync('node_modules').dev === statSync(target).dev ? '-al' : '-a';
  const words = ['cp', options, '--parents', 'node_modules/.bin', ...productionPackages(target), target];
  const { code, stderr } = await runCommand(words);
  if (code !== 0) throw new Error(`the dependencies were not copied: ${stderr}`);
}

async function performRun(stage: Stage, command: string): Promise<void> {
  // On this machine an absolute path would leave the stage.
  if (/(?:^|[\s=])\//.test(command)) throw new Error(`RUN names an absolute path: ${command}`);
  const isLinked = !isFull && INSTALL.test(command);
  if (isLinked) await linkInstalled(stage, command);
  const words = ['sh', '-c', isLinked ? command.replace(INSTALL, 'true ') : command];
  const { code, stderr } = await runCommand(words, { cwd: inside(stage, '.'), env: shellEnvironment() });
  if (code !== 0) throw new Error(`RUN ${command} ended with ${code}: ${stderr}`);
}

/** Copies the part of a repository that .dockerignore lets a builder see. */
function copyContext(repository: string, folder: string): void {
  const patterns = readFileSync(join(repository, '.dockerignore'), 'utf8').split('\n');
  const ignored = dockerignore.default().add(patterns);
  const leadsToException = (path: string): boolean => patterns.some((pattern) => pattern.startsWith(`!${path}/`));
  cpSync(repository, folder, {
    recursive: true,
    filter: (source) => {
      const path = relative(repository, source);
      return path === '' || !ignored.ignores(path) || leadsToException(path);
    },
  });
}

/** Performs the steps of a Dockerfile in an empty folder and returns its last stage. */
async function buildImage(dockerfile: string, repository: string, folder: string): Promise<Stage> {
  const context: Stage = { root: join(folder, 'context'), workdir: '/', settings: {} };
  copyContext(repository, context.root);
  const stages = new Map([['context', context]]);
  let [name, stage] = ['context', context];
  for (const [keyword, argument] of instructionsIn(readFileSync(dockerfile, 'utf8'))) {
    if (keyword === 'FROM') {
      const [image = '', , ownName = 'last'] = argument.split(' ');
      const [base, root] = [stages.get(image), join(folder, ownName)];
      mkdirSync(root);
      // Temporary folders are readable by their owner only; the image has another user.
      chmodSync(root, 0o755);
      if (base) cpSync(base.root, root, { recursive: true, verbatimSymlinks: true });
      [name, stage] = [ownName, { workdir: '/', settings: {}, ...base, root }];
    } else if (keyword === 'WORKDIR') {
      stage = { ...stage, workdir: resolve(stage.workdir, argument) };
      mkdirSync(inside(stage, '.'), { recursive: true });
    } else if (keyword === 'COPY') performCopy(stage, argument, stages);
    else if (keyword === 'RUN') await performRun(stage, argument);
    else stage = { ...stage, settings: { ...stage.settings, [keyword]: argument } };
    stages.set(name, stage);
  }
  // Tens of thousands of files take longer to delete than a worker has at its end.
  const others = [...stages.values()].map(({ root }) => root).filter((root) => root !== stage.root);
  for (const root of new Set(others)) await rm(root, { recursive: true });
  return stage;
}

/** Every path below a folder, from there. */
const pathsIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];

// The repository is on this disk too, as a rule, so that files are linked.
const folder = makeFolder('disk');

describe('the context of the image', () => {
  it('has the files that the Dockerfile copies, and no secret, store, test or build', () => {
    const context = join(folder, 'seen');
    mkdirSync(context);
    copyContext('.', context);
    const top = pathsIn(context).map((path) => path.split('/').slice(0, 3).join('/'));
    expect([...new Set(top)].filter((path) => !path.startsWith('packages/'))).toEqual([
      ...['.npmrc', 'deploy', 'deploy/prometheus', 'deploy/prometheus/alerts.yaml', 'docs', 'docs/cache.md'],
      ...['docs/metrics.md', 'docs/operating', 'docs/operating/alerts.md', 'docs/operating/shares-and-blocking.md'],
      ...['docs/sales.md', 'package-lock.json', 'package.json', 'packages', 'rolldown.config.mjs'],
      ...['scripts', 'scripts/sources.mjs', 'tsconfig.base.json'],
    ]);
    const packages = [...new Set(top)].filter((path) => /^packages\/[^/]+\/[^/]+$/.test(path));
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

/** The variables, and what else a place of the state needs. */
type Place = () => Promise<Record<string, string>>;

describe('the image, its steps performed in an empty folder', () => {
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
    const unwanted = /(?<!\.d)\.ts$|\.test\.|(?:^|\/)(?:tests|sandbox|client|\.git)(?:\/|$)/;
    expect(own.filter((path) => unwanted.test(path))).toEqual([]);
    expect(own).toContain('app/packages/gateway/bin/main.js');
    const packages = own.flatMap((path) => /^app\/packages\/([^/]+)$/.exec(path)?.[1] ?? []);
    expect(packages).toEqual(['console', 'doctor', 'gateway', 'protocol']);
  });

  it.runIf(isFull)('has no dependency that only development needs', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const wanted = ['@solana/kit', '@x402/core', '@x402/svm'];
    const unwanted = [...Object.keys(devDependencies), 'litesvm-linux-x64-gnu', 'viem'];
    const paths = pathsIn(join(image.root, 'app/node_modules'));
    const installed = paths.filter((path) => /^(?:@[^/]+\/)?[^/@]+$/.test(path));
    const drivers = ['libsql', `@libsql/${process.platform}-${process.arch}-gnu`, 'pg'];
    expect(installed).toEqual(expect.arrayContaining([...wanted, ...drivers]));
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
    const tokens = { TOKENS_API_BASE_URL: upstream.url, TOKENS_API_KEY: upstream.key };
    const variables = { PORT: String(port), HOST: '127.0.0.1', GATEWAY_BASE_URL: url, ...tokens };
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

  /** A file of APIs in YAML, whose document has a pattern, and the rows that it makes. */
  function weather(url: string) {
    const place = mkdtempSync(join(folder, 'apis-'));
    chmodSync(place, 0o755);
    cpSync(documentPath('weather.yaml'), join(place, 'weather.yaml'));
    const path = join(place, 'apis.yaml');
    const api = `title: Weather, openapi: ./weather.yaml, url: ${url}/weather, key: { header: X-Api-Key, env: WEATHER_KEY }`;
    const operations = "operations: { getForecast: {}, getHistory: { access: exact, price: '0.002' } }";
    writeFileSync(path, `apis:\n  weather: { ${api}, ${operations} }\n`);
    return { path, rows: readApisFile(path).apis.flatMap((api) => api.rows) };
  }

  it('X20 checks a file in YAML whose document has a pattern', () => {
    const { path } = weather('https://api.weather.example');
    const [, program = ''] = wordsOf(image, 'CMD');
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'check', path], {
      cwd: join(image.root, image.workdir),
      encoding: 'utf8',
      ...identityOf(image),
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('GET /v1/x402/weather/forecast/:city');
  });

  /** Serves, sells, signs receipts and exports traces from the image, with its state in this place. */
  function servesEverything(title: string, place: Place, protocol: 'http/json' | 'http/protobuf'): void {
    it(`X20 serves an API, sells, signs receipts and exports traces with ${title}`, async () => {
      const [port, metricsPort] = await Promise.all([freePort(), freePort()]);
      const [solana, receiver] = await Promise.all([startChains(), startReceiver()]);
      const rows: Route[] = [];
      const stub = await startStubApi(() => rows);
      const apis = weather(stub.url);
      rows.push(...apis.rows);
      const url = `http://localhost:${port}`;
      const variables = {
        ...(solana.variables as Record<string, string>),
        ...(await place()),
        ...{ PORT: String(port), HOST: '127.0.0.1', GATEWAY_BASE_URL: url, GATEWAY_SECRET: 's'.repeat(43) },
        ...{ METRICS_PORT: String(metricsPort), METRICS_HOST: '127.0.0.1' },
        ...{ APIS_FILE: apis.path, WEATHER_KEY: 'a-key-of-the-weather', RECEIPTS: 'on' },
        ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: protocol },
      };
      const { child, ended, stdout, stderr } = run(image, variables);
      try {
        while (!isHealthy(image, variables) && child.exitCode === null) await pause(50);
        expect(child.exitCode, stdout() + stderr()).toBeNull();
        const forecast = `${url}/v1/x402/weather/forecast/`;
        expect((await askSigned(`${forecast}Rome`)).status).toBe(200);
        const refused = await askSigned(`${forecast}R0me`);
        expect([refused.status, await refused.json()]).toMatchObject([400, { issues: [{ rule: 'pattern' }] }]);
        const wallet = await openWallet(solana);
        const call = callOf('rpc.devnet.helius.getBalance');
        const sold = await sendPaid({ url }, call, await paymentFor({ url }, call, wallet));
        expect([sold.status, extractReceiptFromResponse(sold)?.format]).toEqual([200, 'jws']);
        expect((await fetch(`http://localhost:${metricsPort}/metrics`)).status).toBe(200);
      } finally {
        child.kill('SIGTERM');
      }
      expect((await ended).code, stdout() + stderr()).toBe(0);
      // The rest is exported at the end.
      expect(receiver.requests.length).toBeGreaterThan(0);
    }, 120_000);
  }

  servesEverything('SQLite', async () => ({}), 'http/protobuf');
  postgresSuite('with databases that nodes share', () => {
    suiteWith('redis-server', 'and Redis,', () => {
      const open = async () => {
        const [redis, postgres] = [await startRedis(), await openPostgresDatabase()];
        onTestFinished(async () => {
          await redis.kill();
          await postgres.drop();
        });
        return { REDIS_URL: redis.url, DATABASE_URL: postgres.url };
      };
      servesEverything('PostgreSQL and Redis', open, 'http/json');
    });
  });
});
