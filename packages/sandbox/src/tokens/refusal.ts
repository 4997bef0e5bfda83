/** The upstream's error tags that the sandbox uses. */
export type Tag =
  | 'BadRequestError'
  | 'UnauthorizedError'
  | 'ForbiddenError'
  | 'NotFoundError'
  | 'RateLimitedError'
  | 'InternalServerError'
  | 'UpstreamDataError'
  | 'UnknownError';

/** A refusal of the upstream. Its tags and short phrases are the upstream's own, its sentences are not. */
export class Refusal extends Error {
  readonly status: number;
  readonly tag: Tag;
  readonly details: unknown;

  constructor(status: number, tag: Tag, message: string, details?: unknown) {
    super(message);
    this.status = status;
    this.tag = tag;
    this.details = details;
  }
}

/** The upstream's 400. */
export const badRequest = (message: string, details?: unknown): Refusal =>
  new Refusal(400, 'BadRequestError', message, details);

/** The upstream's 404. */
export const notFound = (message: string): Refusal => new Refusal(404, 'NotFoundError', message);

/** The body of an error. */
export const errorBody = (tag: Tag, message: string, details?: unknown) => ({ error: { _tag: tag, message, details } });
