import type { Budget, BudgetView } from '../../budget/store.ts';

/** The fields of draft-ietf-httpapi-ratelimit-headers: the policy, what is left and when the next slot frees. */
export function rateLimitHeaders(budget: Budget, view: BudgetView): Record<string, string> {
  return {
    'RateLimit-Policy': `"upstream";q=${budget.limit};w=${Math.ceil(budget.windowMs / 1000)}`,
    RateLimit: `"upstream";r=${view.left};t=${Math.ceil(view.resetMs / 1000)}`,
  };
}
