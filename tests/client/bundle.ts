import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** A bundled browser program. */
export interface Bundle {
  /** The entry chunk. */
  readonly code: string;
  /** The code of every chunk, by file name. */
  readonly chunks: ReadonlyMap<string, string>;
  /** The entry chunk with the chunks that it imports. */
  readonly gzipBytes: number;
  /** Including the chunks that are loaded later. */
  readonly gzipBytesInAll: number;
  /** Unresolved imports. */
  readonly imports: readonly string[];
}

const ENTRY = '\0entry';

/** Bundles the text of a program with the compiled packages. */
export async function bundleOf(program: string): Promise<Bundle> {
  const entry = {
    name: 'entry',
    resolveId: (id: string) => (id === ENTRY ? id : null),
    load: (id: string) => (id === ENTRY ? program : null),
  };
  const build = await rolldown({ input: ENTRY, platform: 'browser', plugins: [entry] });
  const { output } = await build.generate({ format: 'esm', minify: true });
  const [{ code, imports: imported }] = output;
  const sizes = new Map(
    output.map((part) => [part.fileName, part.type === 'chunk' ? gzipSync(part.code, { level: 9 }).length : 0]),
  );
  const sum = (names: Iterable<string>): number =>
    [...names].reduce((total, name) => total + (sizes.get(name) ?? 0), 0);
  return {
    code,
    chunks: new Map(output.flatMap((part) => (part.type === 'chunk' ? [[part.fileName, part.code] as const] : []))),
    imports: imported.filter((name) => !sizes.has(name)),
    gzipBytes: sum([output[0].fileName, ...imported]),
    gzipBytesInAll: sum(sizes.keys()),
  };
}
