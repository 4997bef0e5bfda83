import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** The manifest of a published package. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A registry of npm packages on this machine. */
export interface Registry {
  readonly url: string;
  /** The hash of a package as it is given out. */
  integrityOf(name: string, version: string): string;
  /** Gives out one more, which is its package's newest from then on. */
  publish(manifest: Manifest): void;
  close(): Promise<void>;
}

const fileOf = ({ name, version }: Manifest): string => `${name}-${version}.tgz`;

/** Packs these, and gives them out on a free port. */
export async function startRegistry(folder: string, first: readonly Manifest[]): Promise<Registry> {
  const manifests: Manifest[] = [];
  const packages = new Map<string, Buffer>();
  const publish = (manifest: Manifest): void => {
    const source = join(folder, `${manifest.name}-${manifest.version}`);
    mkdirSync(join(source, 'package'), { recursive: true });
    writeFileSync(join(source, 'package/package.json'), JSON.stringify(manifest));
    execFileSync('tar', ['-czf', join(folder, fileOf(manifest)), 'package'], { cwd: source });
    packages.set(fileOf(manifest), readFileSync(join(folder, fileOf(manifest))));
    manifests.push(manifest);
  };
  for (const manifest of first) publish(manifest);
  const integrityOf = (name: string, version: string) => {
    const bytes = packages.get(fileOf({ name, version })) ?? '';
    return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  };
  const server = createServer(({ url = '' }, response) => {
    const [file, base] = [packages.get(url.slice(1)), `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
    if (file) return response.end(file);
    const published = manifests.filter(({ name }) => name === url.slice(1));
    const versions = published.map((each) => {
      const dist = { tarball: `${base}/${fileOf(each)}`, integrity: integrityOf(each.name, each.version) };
      return [each.version, { ...each, dist }];
    });
    const latest = published.at(-1)?.version;
    response.statusCode = latest === undefined ? 404 : 200;
    return response.end(
      JSON.stringify({ name: url.slice(1), 'dist-tags': { latest }, versions: Object.fromEntries(versions) }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    integrityOf,
    publish,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
