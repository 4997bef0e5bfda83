import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Store } from '../budget/store.ts';
import type { Answer } from '../call.ts';

const READY: Answer = { json: JSON.stringify({ ok: true, status: 'ready' }) };

/** Why this node should be sent no requests now; nothing while it can serve them. */
export function whyNotReady(store: Store, isStopping: boolean): RefusalCode | undefined {
  if (isStopping) return 'shutting_down';
  return store.ready() ? undefined : 'state_unavailable';
}

/** The body of the readiness probe, or its refusal. */
export function readiness(store: Store, isStopping: boolean): Answer {
  const code = whyNotReady(store, isStopping);
  if (code) throw new Refusal(code, { reason: 'not ready' });
  return READY;
}
