import { ConfigError, type Environment } from '@asset-gateway/gateway';

const USUAL_PORT = 8402;
const LAST_PORT = 65_535;
const CHAINS = 2;

/**
 * The port of the mainnet chain, and devnet's after it: the ones that follow the gateway's, where `npm run ask` looks for them.
 * Nothing where the gateway takes any free port, or where PORT is none, which the gateway says itself.
 */
export function chainPort({ PORT }: Environment): number | undefined {
  const text = PORT?.trim() || String(USUAL_PORT);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port === 0 || port > LAST_PORT) return undefined;
  if (port + CHAINS <= LAST_PORT) return port + 1;
  const most = LAST_PORT - CHAINS;
  throw new ConfigError([`PORT must be at most ${most}: the sandbox's chains listen on the two ports after it.`]);
}

/** What to change when a chain cannot listen on its port. */
export function chainFault(error: NodeJS.ErrnoException & { readonly port?: number }): Error {
  const { code = '', port } = error;
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const what = code === 'EACCES' ? 'may not be used by this user' : 'is in use';
  const where = `${port} on 127.0.0.1, where the sandbox has a chain,`;
  return new ConfigError([
    `PORT: ${where} ${what}; set a PORT after which two more are free, or stop the other program.`,
  ]);
}
