import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import dockerignore from '@balena/dockerignore';
import { type Copy, DockerfileParser, type From, type Instruction } from 'dockerfile-ast';

/** A stage of a Dockerfile, performed without a container engine: a folder stands in for `/`. */
export interface Stage {
  readonly root: string;
  workdir: string;
  environment: Record<string, string>;
  user: string;
  readonly volumes: string[];
  readonly ports: string[];
  command: string[];
  healthcheck: string[];
}

/** The state of a build. */
interface Build {
  /** The repository, as far as .dockerignore lets it be seen. */
  readonly context: string;
  /** Where the stages are made. */
  readonly folder: string;
  readonly stages: Map<string, Stage>;
}

/** Of the environment, what would make npm believe that it runs inside the repository, or that it is under test. */
const FOREIGN = /^(?:npm_(?:lifecycle|package|config_local_prefix|command)|INIT_CWD$|NODE_|VITEST)/;

const shellEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));

const inside = ({ root, workdir }: Stage, path: string): string => join(root, resolve(workdir, path));
const wordsOf = (instruction: Instruction): string[] => instruction.getArguments().map((each) => each.getValue());
const contentOf = (instruction: Instruction): string => instruction.getArgumentsContent() ?? '';

/** Copies as COPY does: a folder gives its content, a file goes into what ends in a slash. */
function copy(source: string, target: string): void {
  const isFolder = statSync(source).isDirectory();
  const destination = !isFolder && target.endsWith('/') ? join(target, basename(source)) : target;
  mkdirSync(isFolder ? destination : dirname(destination), { recursive: true });
  cpSync(source, destination, { recursive: true, verbatimSymlinks: true });
}

function performCopy(stage: Stage, instruction: Copy, { context, stages }: Build): void {
  const from = instruction
    .getFlags()
    .find((flag) => flag.getName() === 'from')
    ?.getValue();
  const origin = from == null ? context : stages.get(from)?.root;
  if (origin === undefined) throw new Error(`COPY from the unknown stage ${from}`);
  const words = wordsOf(instruction);
  const target = words.pop() ?? '';
  const slash = target.endsWith('/') ? '/' : '';
  for (const source of words) copy(join(origin, source), inside(stage, target) + slash);
}

async function performRun(stage: Stage, instruction: Instruction): Promise<void> {
  const command = contentOf(instruction);
  // On the machine that plays the builder an absolute path would leave the stage.
  if (/(?:^|[\s=])\//.test(command)) throw new Error(`RUN names an absolute path: ${command}`);
  const env = { ...shellEnvironment(), ...stage.environment };
  const child = spawn('sh', ['-c', command], { cwd: inside(stage, '.'), env, stdio: ['ignore', 'ignore', 'pipe'] });
  const stderr = text(child.stderr);
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`RUN ${command} ended with ${status}: ${await stderr}`);
}

type Perform = (stage: Stage, instruction: Instruction, build: Build) => void | Promise<void>;

const PERFORM: Readonly<Record<string, Perform>> = {
  WORKDIR: (stage, instruction) => {
    stage.workdir = resolve(stage.workdir, contentOf(instruction));
    mkdirSync(inside(stage, '.'), { recursive: true });
  },
  COPY: (stage, instruction, build) => performCopy(stage, instruction as Copy, build),
  RUN: performRun,
  ENV: (stage, instruction) => {
    const pairs = wordsOf(instruction).map((word) => word.split('=', 2));
    stage.environment = { ...stage.environment, ...Object.fromEntries(pairs) };
  },
  USER: (stage, instruction) => {
    stage.user = contentOf(instruction);
  },
  VOLUME: (stage, instruction) => void stage.volumes.push(...wordsOf(instruction)),
  EXPOSE: (stage, instruction) => void stage.ports.push(...wordsOf(instruction)),
  CMD: (stage, instruction) => {
    stage.command = JSON.parse(contentOf(instruction));
  },
  HEALTHCHECK: (stage, instruction) => {
    stage.healthcheck = JSON.parse(contentOf(instruction).replace(/^CMD /, ''));
  },
};

/** A stage begins with the files of its base stage, or with an empty folder. */
function begin(instruction: From, { folder, stages }: Build): Stage {
  const base = stages.get(instruction.getImage() ?? '');
  const root = join(folder, `stage-${stages.size}`);
  mkdirSync(root);
  // Temporary folders are their owner's alone; the image's user is another one.
  chmodSync(root, 0o755);
  if (base) cpSync(base.root, root, { recursive: true, verbatimSymlinks: true });
  const fresh = { workdir: '/', environment: {}, user: 'root', volumes: [], ports: [], command: [], healthcheck: [] };
  return { ...structuredClone(base ?? fresh), root };
}

/** Copies of a repository what .dockerignore lets a builder see. */
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

/** Performs the steps of a Dockerfile in an empty folder and answers with its last stage. */
export async function buildImage(dockerfile: string, repository: string, folder: string): Promise<Stage> {
  const context = join(folder, 'context');
  copyContext(repository, context);
  const build: Build = { context, folder, stages: new Map() };
  let stage: Stage | undefined;
  for (const instruction of DockerfileParser.parse(readFileSync(dockerfile, 'utf8')).getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'ARG') continue;
    if (keyword === 'FROM') {
      stage = begin(instruction as From, build);
      build.stages.set((instruction as From).getBuildStage() ?? 'last', stage);
      continue;
    }
    const perform = PERFORM[keyword];
    if (!perform || !stage) throw new Error(`${keyword} cannot be performed here`);
    await perform(stage, instruction, build);
  }
  if (!stage) throw new Error('a Dockerfile without a stage');
  return stage;
}

/** Every path below a folder, from there. */
export const pathsIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
