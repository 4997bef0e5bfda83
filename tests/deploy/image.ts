import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { runCommand } from '../kit/command.ts';

/** A stage of a Dockerfile, performed without a container engine: a folder stands in for `/`. */
export interface Stage {
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
  const [target = '', ...sources] = argument
    .split(' ')
    .filter((word) => !word.startsWith('--'))
    .reverse();
  const slash = target.endsWith('/') ? '/' : '';
  for (const source of sources) copy(join(origin, source), inside(stage, target) + slash);
}

async function performRun(stage: Stage, command: string): Promise<void> {
  // On this machine an absolute path would leave the stage.
  if (/(?:^|[\s=])\//.test(command)) throw new Error(`RUN names an absolute path: ${command}`);
  const { code, stderr } = await runCommand(['sh', '-c', command], {
    cwd: inside(stage, '.'),
    env: shellEnvironment(),
  });
  if (code !== 0) throw new Error(`RUN ${command} ended with ${code}: ${stderr}`);
}

/** Copies the part of a repository that .dockerignore lets a builder see. */
export function copyContext(repository: string, folder: string): void {
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
export async function buildImage(dockerfile: string, repository: string, folder: string): Promise<Stage> {
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
  return stage;
}

/** Every path below a folder, from there. */
export const pathsIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
