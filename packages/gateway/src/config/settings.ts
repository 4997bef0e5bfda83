/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration is wrong; every fault is one sentence that names its variable. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** The largest limit that makes sense. */
export const MAX_LIMIT = 1_000_000;

/** An absolute http or https URL without credentials and fragment; nothing for any other text. */
export function parseUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = url.username === '' && url.password === '' && url.hash === '';
  return plain && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
}

/** Reads one variable after the other and collects what is wrong with them. An empty variable counts as unset. */
export class Reader {
  readonly faults: string[] = [];
  /** What an operator should know and may well have meant. */
  readonly notices: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string, fallback: string): string {
    return this.optional(name) ?? fallback;
  }

  optional(name: string): string | undefined {
    return this.#environment[name]?.trim() || undefined;
  }

  integer(name: string, fallback: number, [minimum, maximum]: readonly [number, number]): number {
    const text = this.text(name, String(fallback));
    const value = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    this.faults.push(`${name} must be a whole number from ${minimum} to ${maximum}.`);
    return fallback;
  }

  choice(name: string, fallback: string, allowed: readonly string[]): string {
    const text = this.text(name, fallback);
    if (!allowed.includes(text)) this.faults.push(`${name} must be one of ${allowed.join(', ')}.`);
    return text;
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
