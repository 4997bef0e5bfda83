import { readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';

/** How programs find the packages that they import. */
export const RESOLUTIONS: Readonly<Record<string, ts.CompilerOptions>> = {
  Node: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  'a bundler': { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
};

/** A program that imports packages, in a folder in which they are installed. */
export interface Consumer {
  readonly folder: string;
  readonly program: string;
  /** The declarations of those packages. */
  readonly declarations: readonly string[];
}

/** Writes one that imports these entries. */
export function writeConsumer(folder: string, entries: readonly string[], declarations: readonly string[]): Consumer {
  const program = join(folder, 'program.ts');
  writeFileSync(program, entries.map((entry, at) => `export * as entry${at} from '${entry}';\n`).join(''));
  return { folder, program, declarations };
}

/** Compiler messages about the program and the declarations. */
export function complaints({ folder, program }: Consumer, options: ts.CompilerOptions): string[] {
  const built = ts.createProgram([program], { ...options, target: ts.ScriptTarget.ES2022, strict: true, noEmit: true });
  return built
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(folder))
    .flatMap((file) => [...built.getSyntacticDiagnostics(file), ...built.getSemanticDiagnostics(file)])
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

/** Imports without types. */
export function untypedImports({ folder, program, declarations }: Consumer, options: ts.CompilerOptions): string[] {
  const cache = ts.createModuleResolutionCache(folder, (name) => name, options);
  return [program, ...declarations].flatMap((path) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(path, 'utf8'), true, true);
    const specifiers = importedFiles.map(({ fileName }) => fileName).filter((name) => !isBuiltin(name));
    const isTyped = (specifier: string): boolean => {
      const found = ts.resolveModuleName(specifier, path, options, ts.sys, cache, undefined, ts.ModuleKind.ESNext);
      return /\.d\.[cm]?ts$/.test(found.resolvedModule?.extension ?? '');
    };
    return specifiers.filter((specifier) => !isTyped(specifier)).map((specifier) => `${path}: ${specifier}`);
  });
}
