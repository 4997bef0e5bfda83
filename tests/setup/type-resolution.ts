import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The package that knows how compilers find the types of a package: `attw` is its command line. */
export const ATTW = { '@arethetypeswrong/core': '0.18.5' };

/** What does not concern packages of ES modules alone: `attw --profile esm-only`. */
const IGNORED = ['node10', 'node16-cjs'];

interface Problem {
  readonly kind: string;
  readonly entrypoint?: string;
  readonly resolutionKind?: string;
}

interface Core {
  readonly Package: new (files: Readonly<Record<string, string>>, name: string, version: string) => object;
  createPackageFromTarballData(tarball: Uint8Array): object;
  checkPackage(checked: object): Promise<{ readonly types: unknown; readonly problems?: readonly Problem[] }>;
}

/** Reads packages as compilers do. */
export interface TypeReader {
  /** Faults in the types of a packed package; `no types` if it has none. */
  inTarball(tarball: Uint8Array): Promise<string[]>;
  /** The same of a package of these files, by their paths in it. */
  inFiles(files: Readonly<Record<string, string>>): Promise<string[]>;
}

/** Loads the reader from a folder. */
export async function loadTypeReader(folder: string): Promise<TypeReader> {
  const path = join(folder, 'node_modules/@arethetypeswrong/core/dist/index.js');
  const { Package, checkPackage, createPackageFromTarballData }: Core = await import(pathToFileURL(path).href);
  const faultsOf = async (checked: object): Promise<string[]> => {
    const { types, problems = [] } = await checkPackage(checked);
    if (!types) return ['no types'];
    return problems
      .filter(({ resolutionKind = '' }) => !IGNORED.includes(resolutionKind))
      .map(({ kind, entrypoint, resolutionKind }) => [kind, entrypoint, resolutionKind].join(' ').trim());
  };
  return {
    inTarball: (tarball) => faultsOf(createPackageFromTarballData(tarball)),
    inFiles: (files) => {
      const placed = Object.entries(files).map(([name, text]) => [`/node_modules/faulty/${name}`, text]);
      return faultsOf(new Package(Object.fromEntries(placed), 'faulty', '1.0.0'));
    },
  };
}
