import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** With more threads than processors, npm's file operations contend in the kernel. */
const THREADS = String(Math.max(2, Math.min(4, availableParallelism())));

/** Runs npm in a folder with its output on standard error. Returns npm's error code if it fails. */
function npm(cwd, ...words) {
  const cli = process.env.npm_execpath;
  const [command, ...first] = cli ? [process.execPath, cli] : ['npm'];
  const shell = !cli && process.platform === 'win32';
  const env = { UV_THREADPOOL_SIZE: THREADS, ...process.env };
  const { status, stderr, error } = spawnSync(command, [...first, ...words, '--loglevel=error'], {
    ...{ cwd, stdio: ['ignore', 2, 'pipe'], env, shell },
    encoding: 'utf8',
  });
  process.stderr.write(stderr ?? '');
  if (status === 0) return undefined;
  return /^npm (?:error|ERR!) code (\S+)$/m.exec(stderr ?? '')?.[1] ?? Object(error).code ?? 'unknown';
}

/** The packages in a lock, by path. */
const lockedIn = (path) => JSON.parse(readFileSync(path, 'utf8')).packages ?? {};

const isMusl = () => !Object(process.report.getReport()).header.glibcVersionRuntime;

/** Whether npm installs a package on this machine. */
function isForThisMachine({ os, cpu, libc }) {
  if (!os?.includes(process.platform) || !cpu?.includes(process.arch)) return false;
  return !libc || libc.includes(isMusl() ? 'musl' : 'glibc');
}

/**
 * Whether everything in a folder's lock is installed, by this set-up or by the user: npm records what it has installed. Builds for other
 * machines may be missing, and more packages may be present.
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

const ADVICE = {
  EINTEGRITY:
    'A dependency is not the one whose hash package-lock.json names (EINTEGRITY), so nothing was installed: restore ' +
    'package-lock.json, run `npm cache clean --force` and try again. If it fails again, the registry serves other files.',
  EUSAGE:
    'package-lock.json does not fit package.json (EUSAGE), so nothing was installed: restore both files and try again.',
};

/** Installs exactly what a folder's package-lock.json names, by hash. Its .npmrc forbids scripts. Returns a sentence if it fails. */
export function installLocked(folder) {
  const cached = npm(folder, 'ci', '--prefer-offline');
  // ETARGET: the version is newer than npm's cached metadata of its package.
  const code = cached === 'ETARGET' ? npm(folder, 'ci') : cached;
  return (
    code && (ADVICE[code] ?? `The dependencies could not be installed (${code}): fix the errors above and try again.`)
  );
}

/** Updates the lock to our packages' manifests, offline and without an installation. Returns a sentence if it fails. */
export function followPackages() {
  const code = npm('.', 'install', '--package-lock-only', '--ignore-scripts', '--offline');
  return code && `package-lock.json could not follow the packages (${code}): fix the errors above and run npm install.`;
}
