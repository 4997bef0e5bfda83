import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const given = (name: string): string | undefined => process.env[name]?.trim() || undefined;

/** The version of this package. */
export const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** The default gateway. */
export const gatewayUrl = (): string => given('ASSET_GATEWAY_URL') ?? 'http://localhost:8402';

/** The default Solana RPC for payments, if any. */
export const rpcUrl = (): string | undefined => given('ASSET_GATEWAY_RPC_URL');

/** The default keypair file, if any. */
export const keypairFile = (): string | undefined => given('ASSET_GATEWAY_KEYPAIR');

/** The default limits in dollars, if any. */
export const maxUsdPerCall = (): string | undefined => given('ASSET_GATEWAY_MAX_USD_PER_CALL');
export const maxUsdPerDay = (): string | undefined => given('ASSET_GATEWAY_MAX_USD_PER_DAY');

/** A folder of the XDG specification. As it demands, relative paths are ignored. */
function xdgFolder(name: string, fallback: string): string {
  const folder = given(name);
  return join(folder !== undefined && isAbsolute(folder) ? folder : join(homedir(), fallback), 'asset-gateway');
}

/** The XDG state folder: wallet, ledger and open payments. */
export const stateFolder = (): string => xdgFolder('XDG_STATE_HOME', join('.local', 'state'));

/** The XDG cache folder: catalogs of gateways. */
export const cacheFolder = (): string => xdgFolder('XDG_CACHE_HOME', '.cache');

/** The default wallet of the Solana command line. */
export const solanaKeypairFile = (): string => join(homedir(), '.config', 'solana', 'id.json');

/** How the user runs this program: in the repository by an npm script. */
export function calledAs(): { readonly command: string; readonly name: string } {
  if (given('npm_lifecycle_event') === 'ask') return { command: 'npm run ask --', name: 'ask' };
  return { command: 'asset-gateway-client', name: 'asset-gateway-client' };
}

/** The variables about colours and the terminal. */
export const terminalVariables = () => ({
  noColor: given('NO_COLOR') !== undefined,
  forceColor: given('FORCE_COLOR') !== undefined && given('FORCE_COLOR') !== '0',
  isDumb: given('TERM') === 'dumb',
  columns: Number(given('COLUMNS')) || undefined,
});
