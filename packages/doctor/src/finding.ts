import type { Answer } from './http-client.ts';

/** A problem and its fix, as clauses without a full stop. */
export interface Problem {
  readonly problem: string;
  readonly fix: string;
}

/** A problem of a request. */
export interface Fault extends Problem {
  /** `METHOD url`. */
  readonly where: string;
}

/** A fault, and the check that found it. */
export interface Finding extends Fault {
  readonly check: string;
}

/** Returns the problem unless a condition holds. */
export const unless = (holds: boolean, problem: Problem): Problem | undefined => (holds ? undefined : problem);

/** A request that may have a problem. */
export type RequestLine = Pick<Answer, 'method' | 'url'>;

/** Returns the request line of a route. */
export const requestLineOf = (
  { httpMethod, path }: { httpMethod: string; path: string },
  origin: string,
): RequestLine => ({
  method: httpMethod,
  url: origin + path,
});

/** Returns the problems of a place. */
export const faultsAt = (
  { method, url }: RequestLine,
  found: Problem | undefined | readonly (Problem | undefined)[],
): Fault[] => [found].flat().flatMap((each) => (each ? { where: `${method} ${url}`, ...each } : []));
