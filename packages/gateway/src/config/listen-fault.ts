import { ConfigError } from './settings.ts';

/** Where something is to listen. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** What to change when nothing can listen there; the variables may have a prefix. */
export function listenFault(error: NodeJS.ErrnoException, { host, port }: Place, prefix = ''): Error {
  const name = `${prefix}PORT`;
  if (error.code === 'EADDRINUSE')
    return new ConfigError([`${name}: ${port} on ${host} is in use; stop the other program or set ${name}.`]);
  if (error.code === 'EACCES')
    return new ConfigError([`${name}: ${port} may not be used by this user; set ${name} above 1023.`]);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError([`${prefix}HOST: ${host} is no address of this machine.`]);
  }
  return error;
}
