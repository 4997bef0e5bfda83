import { gzipSync } from 'node:zlib';
import { type InputOptions, rolldown } from 'rolldown';

const ENTRY = '\0entry';

/** What code is bundled for. */
export type Target = Pick<InputOptions, 'external' | 'platform' | 'resolve'>;

/** Bundles the text of a program with the compiled packages, by default for pages. */
export async function bundleOf(program: string, target: Target = { platform: 'browser' }) {
  const entry = {
    name: 'entry',
    resolveId: (id: string) => (id === ENTRY ? id : null),
    load: (id: string) => (id === ENTRY ? program : null),
  };
  const build = await rolldown({ input: ENTRY, ...target, plugins: [entry] });
  const { output } = await build.generate({ format: 'esm', minify: true });
  const [{ code, imports: imported }] = output;
  const sizes = new Map(
    output.map((part) => [part.fileName, part.type === 'chunk' ? gzipSync(part.code, { level: 9 }).length : 0]),
  );
  const sum = (names: Iterable<string>): number =>
    [...names].reduce((total, name) => total + (sizes.get(name) ?? 0), 0);
  return {
    /** The entry chunk. */
    code,
    /** The code of every chunk, by file name. */
    chunks: new Map(output.flatMap((part) => (part.type === 'chunk' ? [[part.fileName, part.code] as const] : []))),
    /** Unresolved imports. */
    imports: imported.filter((name) => !sizes.has(name)),
    /** The entry chunk with the chunks that it imports. */
    gzipBytes: sum([output[0].fileName, ...imported]),
    /** Including the chunks that are loaded later. */
    gzipBytesInAll: sum(sizes.keys()),
  };
}
