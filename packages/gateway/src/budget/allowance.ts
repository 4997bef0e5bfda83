import type { Allowance, Budget, BudgetView, Store, Verdict } from './store.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Several budgets together: the sum of free slots, the next slot that frees, and the first pause that ends. */
function together(views: readonly BudgetView[]): BudgetView {
  const resets = views.map(({ resetMs }) => resetMs).filter((resetMs) => resetMs > 0);
  return {
    left: sum(views.map(({ left }) => left)),
    resetMs: resets.length > 0 ? Math.min(...resets) : 0,
    pauseMs: Math.min(...views.map(({ pauseMs }) => pauseMs)),
  };
}

/** The refusal with the shortest wait; undefined if a budget does not refuse. */
function firstToEnd(verdicts: readonly (Verdict | undefined)[]): Verdict | undefined {
  const refused = verdicts.filter((verdict) => verdict !== undefined);
  if (refused.length < verdicts.length) return undefined;
  const [first] = refused.sort((a, b) => (a.retryAfterMs ?? 0) - (b.retryAfterMs ?? 0));
  return first;
}

/** Several budgets of one window as one allowance. `inUse`: the budgets that count for its view. */
export const allowanceOf = (store: Store, budgets: readonly Budget[], inUse: () => readonly Budget[]): Allowance => ({
  limit: sum(budgets.map(({ limit }) => limit)),
  windowMs: Math.max(...budgets.map(({ windowMs }) => windowMs)),
  view: () => together(inUse().map((budget) => store.view(budget))),
  judge: async (share) => {
    const judged = inUse().map((budget) => store.judge(budget, share).catch(() => undefined));
    return firstToEnd(await Promise.all(judged));
  },
});
