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

/** Makes one upstream call for all of these keys, and answers with what is to be kept of it. */
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
  const texts = mints.length > 0 ? itemsOf(route, mints, json) : [json];
  return plans.map((plan, index) => keptFor(plan, sentAtMs, texts[index] ?? ''));
}

function missing(): never {
  throw new Error('a call for nothing');
}
