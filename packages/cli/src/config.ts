import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Returns the value of a variable; undefined if it is empty. */
export const variable = (name: string): string | undefined => process.env[name]?.trim() || undefined;

/** The version of this package. */
export const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** Returns a folder of the XDG specification, which demands that relative paths are ignored. */
function xdgFolder(name: string, fallback: string): string {
  const folder = variable(name);
  return join(folder !== undefined && isAbsolute(folder) ? folder : join(homedir(), fallback), 'asset-gateway');
}

/** Returns the XDG state folder, for wallet, ledger and open payments. */
export const stateFolder = (): string => xdgFolder('XDG_STATE_HOME', join('.local', 'state'));

/** Returns the XDG cache folder, for catalogs of gateways. */
export const cacheFolder = (): string => xdgFolder('XDG_CACHE_HOME', '.cache');

/** Returns the default wallet of the Solana command line. */
export const solanaKeypairFile = (): string => join(homedir(), '.config', 'solana', 'id.json');

/** Returns how the user runs this program. In the repository, by an npm script. */
export function calledAs(): { readonly command: string; readonly name: string } {
  if (variable('npm_lifecycle_event') === 'ask') return { command: 'npm run ask --', name: 'ask' };
  return { command: 'asset-gateway-client', name: 'asset-gateway-client' };
}

/** Returns the variables about colours and the terminal. */
export const terminalVariables = () => ({
  noColor: variable('NO_COLOR') !== undefined,
  forceColor: variable('FORCE_COLOR') !== undefined && variable('FORCE_COLOR') !== '0',
  isDumb: variable('TERM') === 'dumb',
  columns: Number(variable('COLUMNS')) || undefined,
});
