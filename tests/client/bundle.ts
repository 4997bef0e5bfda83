import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** A program for browsers: what it begins with in one file. */
export interface Bundle {
  readonly code: string;
  readonly gzipBytes: number;
  /** The same with all that is loaded later. */
  readonly gzipBytesInAll: number;
  /** What is left to be found by whoever runs it. */
  readonly imports: readonly string[];
}

const ENTRY = '\0entry';

/** Bundles a program, given as its text, from the compiled packages as a page would load them. */
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
