import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** A bundled browser program. */
export interface Bundle {
  /** The entry chunk. */
  readonly code: string;
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
  const [{ code, imports }] = output;
  const sizes = output.map((part) => (part.type === 'chunk' ? gzipSync(part.code, { level: 9 }).length : 0));
  const [gzipBytes = 0] = sizes;
  return { code, imports, gzipBytes, gzipBytesInAll: sizes.reduce((sum, size) => sum + size) };
}
