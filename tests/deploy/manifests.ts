import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

/** A Kubernetes object as it stands in a file. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [member: string]: unknown;
}

const FOLDER = 'deploy/kubernetes';

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

const declarationOf = ({ apiVersion, kind, ...rest }: Manifest): string => {
  const type = `import('kubernetes-types/${MODULES[apiVersion]}.js').${kind}`;
  return `export const manifest: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })};`;
};

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipLibCheck: true,
  types: [],
  lib: ['lib.es2022.d.ts'],
};

const messageOf = ({ messageText }: ts.Diagnostic): string => ts.flattenDiagnosticMessageText(messageText, ' ');

/**
 * The compiler's errors for each object, checked against the API's types.
 */
export function typeFaults(manifests: readonly Manifest[]): string[][] {
  const paths = manifests.map((_, index) => resolve(`tests/deploy/manifest-${index}.ts`));
  const texts = new Map(manifests.map((manifest, index) => [paths[index], declarationOf(manifest)]));
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.getSourceFile = (path, ...rest) => {
    const text = texts.get(path);
    return text === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, text, rest[0]);
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram(paths, OPTIONS, host));
  const elsewhere = found.filter(({ file }) => !texts.has(file?.fileName));
  if (elsewhere.length > 0) throw new Error(elsewhere.map(messageOf).join('\n'));
  return paths.map((path) => found.filter(({ file }) => file?.fileName === path).map(messageOf));
}
