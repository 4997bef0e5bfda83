import type { KeyedUpstream } from './upstream.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

/** Keeps everybody from an upstream's key for as long as it asks to be left alone. */
export const pausing = (upstream: KeyedUpstream, pause: (seconds: number) => Promise<void>): KeyedUpstream => ({
  async answer(call) {
    try {
      return await upstream.answer(call);
    } catch (error) {
      const isAsked = error instanceof UpstreamRefusal && error.code === 'upstream_rate_limited';
      if (isAsked && error.retryAfterSeconds !== undefined) await pause(error.retryAfterSeconds);
      throw error;
    }
  },
});
