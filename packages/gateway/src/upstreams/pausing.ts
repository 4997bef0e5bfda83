import type { Upstream } from './upstream.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

/** Keeps everybody from an upstream for as long as it asks to be left alone. */
export const pausing = (upstream: Upstream, pause: (seconds: number) => Promise<void>): Upstream => ({
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
