import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Store } from '../stores/ports.ts';

/** Why this node should be sent no requests now; nothing while it can serve them. */
export function whyNotReady(store: Store, isStopping: boolean): RefusalCode | undefined {
  if (isStopping) return 'shutting_down';
  return store.ready() ? undefined : 'state_unavailable';
}

/** The body of the readiness probe, or its refusal. */
export function readiness(store: Store, isStopping: boolean) {
  const code = whyNotReady(store, isStopping);
  if (code) throw new Refusal(code, { reason: 'not ready' });
  return { ok: true, status: 'ready' };
}
