import type { Spend } from '../call.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { batchInput, itemsOf } from './batches.ts';
import type { CallLeadership } from './call-leadership.ts';
import { type KeptText, keptFor, type Plan } from './plan.ts';

/** What one call is made with. */
export interface CallMaking {
  readonly upstream: Upstream;
  readonly leadership: CallLeadership;
  /** The wallet of one who waits for it, for the log. */
  readonly wallet: string | undefined;
  /** Told when the call has its slot. */
  readonly sent: () => void;
  /** Milliseconds of a clock that never steps. */
  readonly now: () => number;
}

/** Calls of a cache are made for many; where one of them has come from is nobody's business. */
const NOWHERE = { hosts: [], port: 0 } as const;

/** Makes one upstream call for all of these keys. Resolves with what is to be kept: of a batch only the items that were asked for. */
export async function makeCall(plans: readonly Plan[], making: CallMaking): Promise<KeptText[]> {
  const { upstream, leadership, wallet, sent, now } = making;
  const [{ route, input } = missing()] = plans;
  const mints = plans.flatMap(({ mint }) => mint ?? []);
  let sentAtMs = now();
  const spend: Spend = async (budget) => {
    const slot = await leadership.spend(budget);
    sentAtMs = now();
    sent();
    return slot;
  };
  const asked = mints.length > 0 ? batchInput(route, mints) : input;
  const { json } = await upstream.answer({ route, input: asked, wallet, arrival: NOWHERE, spend });
  if (mints.length === 0) return plans.map((plan) => keptFor(plan, sentAtMs, json));
  const items = itemsOf(route, json);
  return plans.flatMap((plan) => {
    const text = items.get(plan.mint);
    return text === undefined ? [] : keptFor(plan, sentAtMs, text);
  });
}

function missing(): never {
  throw new Error('a call for nothing');
}
