import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** A program for browsers in one file. */
export interface Bundle {
  readonly code: string;
  readonly gzipBytes: number;
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
  return { code, imports, gzipBytes: gzipSync(code, { level: 9 }).length };
}
