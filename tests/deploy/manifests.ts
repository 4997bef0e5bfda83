import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { node, runCommand } from '../kit/command.ts';

/** A Kubernetes object as it stands in a file. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [member: string]: unknown;
}

const FOLDER = 'deploy/kubernetes';
const COMPILER = 'node_modules/typescript-7/bin/tsc';
const OPTIONS = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false', '--types', ''];

/** The module of the API's types, by version. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

/** Every object of the folder that goes to a cluster. */
export const readManifests = (): Manifest[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .flatMap((name) => parseAllDocuments(readFileSync(join(FOLDER, name), 'utf8')))
    .map((document) => document.toJS() as Manifest);

const declarationOf = (manifest: Manifest, index: number): string => {
  const type = `import('kubernetes-types/${MODULES[manifest.apiVersion]}.js').${manifest.kind}`;
  return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
};

/** Whether the compiler refuses each object, checked against the API's types. */
export async function wronglyTyped(manifests: readonly Manifest[]): Promise<boolean[]> {
  mkdirSync('.setup', { recursive: true });
  // Inside the repository, where the compiler finds the types.
  const folder = mkdtempSync('.setup/manifests-');
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, manifests.map(declarationOf).join('\n'));
  const { stdout } = await runCommand(node(COMPILER, ...OPTIONS, '--module', 'nodenext', file));
  rmSync(folder, { recursive: true });
  // The number of the line names the object; a fault of the file itself stands in none.
  const faults = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
  if (!faults.every((line) => line.includes('manifests.ts('))) throw new Error(stdout);
  return manifests.map((_, index) => faults.some((line) => line.includes(`manifests.ts(${index + 1},`)));
}
