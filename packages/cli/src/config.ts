import { homedir } from 'node:os';
import { join } from 'node:path';

/** The gateway that the command line talks to, unless told otherwise: the public origin it was started with. */
export const gatewayUrl = (): string => process.env.ASSET_GATEWAY_URL?.trim() || 'http://localhost:8402';

/** Where the command line keeps the wallet whose credit it spends: in the user's state folder, as XDG says. */
export const walletFile = (): string =>
  join(process.env.XDG_STATE_HOME?.trim() || join(homedir(), '.local', 'state'), 'asset-gateway', 'wallet.json');
