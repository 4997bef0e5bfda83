/** The statuses by which a gateway asks for the same request again. */
export const AGAIN: readonly number[] = [408, 429, 503];

/** How long to wait before the same is sent again; nothing where that would change nothing. */
export function retryAfterMs({ status, headers }: Response, statuses = AGAIN): number | undefined {
  const seconds = /^[0-9]{1,6}$/.exec(headers.get('retry-after') ?? (status === 408 ? '0' : ''))?.[0];
  return statuses.includes(status) && seconds !== undefined ? Number(seconds) * 1000 : undefined;
}
