import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const MAX_OUTPUT = 64 * 1024 * 1024;

/** With more threads than processors npm spends its time in the kernel, where they wait for each other to make files. */
const THREADS = String(Math.max(2, Math.min(4, availableParallelism())));

/** What is in npm's cache is not asked about again; the hashes of the lock hold it to what it should be. */
const FROM_CACHE = ['ci', '--prefer-offline'];

/** Runs npm in a folder; what it says goes to the user. Answers with the code of its failure, or nothing, and with its complaints. */
function npm(cwd, ...words) {
  const cli = process.env.npm_execpath;
  const [command, ...first] = cli ? [process.execPath, cli] : ['npm'];
  const shell = !cli && process.platform === 'win32';
  const env = { UV_THREADPOOL_SIZE: THREADS, ...process.env };
  const options = { cwd, stdio: ['ignore', 2, 'pipe'], env, shell, encoding: 'utf8', maxBuffer: MAX_OUTPUT };
  const { status, stderr, error } = spawnSync(command, [...first, ...words, '--loglevel=error'], options);
  process.stderr.write(stderr ?? '');
  if (status === 0) return { complaints: [] };
  const [, code = error?.code ?? 'unknown'] = /^npm (?:error|ERR!) code (\S+)$/m.exec(stderr ?? '') ?? [];
  return { code, complaints: [...(stderr ?? '').matchAll(/^npm (?:error|ERR!) ((?:Missing|Invalid): .*)$/gm)] };
}

/** The packages that a lock names, by their paths. */
const lockedIn = (path) => JSON.parse(readFileSync(path, 'utf8')).packages ?? {};

const isMusl = () => !process.report.getReport().header.glibcVersionRuntime;

/** Whether npm installs a package on this machine, by what it says of itself. */
function isForThisMachine({ os, cpu, libc }) {
  if (!os?.includes(process.platform) || !cpu?.includes(process.arch)) return false;
  return !libc || libc.includes(isMusl() ? 'musl' : 'glibc');
}

/**
 * Whether all that the lock of a folder names is installed there, whoever installed it: npm keeps a lock of what it has installed. Builds for
 * other machines may be missing, and other packages may be there.
 */
export function isInstalled(folder) {
  const record = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = lockedIn(record);
  return Object.entries(lockedIn(join(folder, 'package-lock.json'))).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    if (!found) return wanted.optional === true && !isForThisMachine(wanted);
    const isSame = found.version === wanted.version && (!wanted.integrity || found.integrity === wanted.integrity);
    return isSame && existsSync(join(folder, path));
  });
}

/** Whether all that the lock lacks are builds for some platform: packages that others have as optional dependencies. */
function lacksOnlyBuilds(folder, complaints) {
  const packages = lockedIn(join(folder, 'package-lock.json'));
  const builds = new Set(Object.values(packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {})));
  const missing = complaints.map(([, text]) => /^Missing: (.+)@[^@]+ from lock file$/.exec(text)?.[1]);
  return missing.length > 0 && missing.every((name) => builds.has(name));
}

const ADVICE = {
  EINTEGRITY:
    'A dependency is not the one whose hash package-lock.json names (EINTEGRITY), so nothing was installed: restore ' +
    'package-lock.json, run `npm cache clean --force` and try again; should it stay so, the registry gives out something else.',
  EUSAGE:
    'package-lock.json does not fit package.json (EUSAGE), so nothing was installed: restore both files and try again.',
};

/**
 * Installs what the package-lock.json of a folder names, with the hashes that it names. Where it lacks this platform's build of a package, that
 * is installed as well, and everything else is still held to the lock. Answers with a sentence when nothing could be installed.
 */
export function installLocked(folder, ...options) {
  const cached = npm(folder, ...FROM_CACHE, ...options);
  // A version that is younger than what the cache knows of its package.
  const { code, complaints } = cached.code === 'ETARGET' ? npm(folder, 'ci', ...options) : cached;
  const isForBuilds = code === 'EUSAGE' && lacksOnlyBuilds(folder, complaints);
  if (isForBuilds) process.stderr.write("The lock lacks this platform's builds; installing them beside it …\n");
  const last = isForBuilds ? npm(folder, 'install', '--no-save', ...options).code : code;
  if (last === undefined) return undefined;
  return (
    ADVICE[last] ?? `The dependencies could not be installed (${last}): mend what the lines above name and try again.`
  );
}

/** Has the lock follow what our own packages say of each other; nothing is fetched or installed. Answers with a sentence when it cannot. */
export function followPackages() {
  const { code } = npm('.', 'install', '--package-lock-only', '--ignore-scripts', '--offline');
  return (
    code &&
    `package-lock.json could not follow the packages (${code}): mend what the lines above name, and run npm install.`
  );
}
