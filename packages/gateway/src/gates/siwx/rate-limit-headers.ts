import type { Allowance } from '../../budget/store.ts';

/** The fields of draft-ietf-httpapi-ratelimit-headers: the policy, what is left and when the next slot frees. */
export function rateLimitHeaders({ limit, windowMs, view }: Allowance): Record<string, string> {
  const { left, resetMs } = view();
  return {
    'RateLimit-Policy': `"upstream";q=${limit};w=${Math.ceil(windowMs / 1000)}`,
    RateLimit: `"upstream";r=${left};t=${Math.ceil(resetMs / 1000)}`,
  };
}
