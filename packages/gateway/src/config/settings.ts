import type { ListenOptions } from 'node:net';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A faulty configuration. Each fault is a sentence that names its variable. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Advice for messages about secrets. */
export const MAKE_ONE = '`openssl rand -hex 32` makes one';
/** The largest rate limit. */
export const MAX_LIMIT = 1_000_000;

/** Returns an http or https URL without credentials and fragment; undefined for any other text. */
export function parseUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.hash === '';
  return isPlain && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
}

/** The form of the value that Docker and Kubernetes give to METRICS_PORT if there is a service called "metrics". */
export const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/**
 * Reads variables and collects their faults. An empty variable counts as unset, and so does a port that holds a service's address. No
 * library is used, because a fault says what to set, and many checks concern several variables.
 */
export class Reader {
  readonly faults: string[] = [];
  /** Warnings about settings that are unusual but valid. */
  readonly notices: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string, fallback: string): string {
    return this.optional(name) ?? fallback;
  }

  optional(name: string): string | undefined {
    const text = this.#environment[name]?.trim() || undefined;
    return text !== undefined && name.endsWith('PORT') && SERVICE_ADDRESS.test(text) ? undefined : text;
  }

  /** Returns a text that fits into a header. */
  headerText(name: string): string | undefined {
    const text = this.optional(name);
    this.check(text === undefined || /^[\x20-\x7e]+$/.test(text), `${name} must be printable ASCII.`);
    return text;
  }

  integer(name: string, fallback: number, [minimum, maximum]: readonly [number, number]): number {
    const text = this.text(name, String(fallback));
    const value = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    this.faults.push(`${name} must be a whole number from ${minimum} to ${maximum}.`);
    return fallback;
  }

  choice<Text extends string, Fallback extends Text | undefined>(
    name: string,
    fallback: Fallback,
    allowed: readonly Text[],
  ): Text | Fallback {
    const text = this.optional(name) ?? fallback;
    const found = allowed.find((each) => each === text) ?? fallback;
    if (found !== text) this.faults.push(`${name} must be one of ${allowed.join(', ')}.`);
    return found;
  }

  list(name: string): string[] {
    return this.text(name, '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }

  check(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(fault);
  }
}

/** Returns the configuration fault that made listening fail. `prefix`: the prefix of its variables, such as `METRICS_`. */
export function listenFault(error: NodeJS.ErrnoException, { host, port }: ListenOptions, prefix = ''): Error {
  const name = `${prefix}PORT`;
  if (error.code === 'EADDRINUSE')
    return new ConfigError([`${name}: ${port} on ${host} is in use; stop the other program or change ${name}.`]);
  if (error.code === 'EACCES')
    return new ConfigError([`${name}: ${port} may not be used by this user; set ${name} above 1023.`]);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError([`${prefix}HOST: ${host} is not an address of this machine.`]);
  }
  return error;
}
