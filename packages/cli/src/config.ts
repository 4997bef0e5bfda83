import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const given = (name: string): string | undefined => process.env[name]?.trim() || undefined;

/** The gateway that the command line talks to, unless told otherwise: the public origin it was started with. */
export const gatewayUrl = (): string => given('ASSET_GATEWAY_URL') ?? 'http://localhost:8402';

/** The Solana RPC for payments, if the environment names one. */
export const rpcUrl = (): string | undefined => given('ASSET_GATEWAY_RPC_URL');

/** The keypair file that signs, unless told otherwise. */
export const keypairFile = (): string | undefined => given('ASSET_GATEWAY_KEYPAIR');

/** Dollars that are spent at most, unless told otherwise. */
export const maxUsdPerCall = (): string | undefined => given('ASSET_GATEWAY_MAX_USD_PER_CALL');
export const maxUsdPerDay = (): string | undefined => given('ASSET_GATEWAY_MAX_USD_PER_DAY');

/** A folder of the XDG specification, which says to ignore a relative path. */
function xdgFolder(name: string, usual: string): string {
  const folder = given(name);
  return join(folder !== undefined && isAbsolute(folder) ? folder : join(homedir(), usual), 'asset-gateway');
}

/** Where the wallet, what was spent and payments with an open outcome are kept: the user's state folder, as XDG says. */
export const stateFolder = (): string => xdgFolder('XDG_STATE_HOME', join('.local', 'state'));

/** Where the price lists of gateways are kept; nothing is lost with it. */
export const cacheFolder = (): string => xdgFolder('XDG_CACHE_HOME', '.cache');

/** Where the Solana command line keeps its wallet. */
export const solanaKeypairFile = (): string => join(homedir(), '.config', 'solana', 'id.json');

/** What a user types to run the command, and what it calls itself: in the repository it is a script of npm. */
export function calledAs(): { readonly command: string; readonly name: string } {
  if (given('npm_lifecycle_event') === 'ask') return { command: 'npm run ask --', name: 'ask' };
  return { command: 'asset-gateway-client', name: 'asset-gateway-client' };
}

/** What the environment says of colours and of the terminal. */
export const terminalVariables = () => ({
  noColor: given('NO_COLOR') !== undefined,
  forceColor: given('FORCE_COLOR') !== undefined && given('FORCE_COLOR') !== '0',
  isDumb: given('TERM') === 'dumb',
  columns: Number(given('COLUMNS')) || undefined,
});
