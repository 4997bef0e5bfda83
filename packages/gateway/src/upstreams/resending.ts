import type { KeyedUpstream } from './upstream.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

/**
 * Sends a GET once more whose connection was lost before a byte of the answer had come, as happens when an upstream
 * closes a kept-alive connection just then. It spends again; where that is refused, the loss stays the answer.
 */
export const resending = (upstream: KeyedUpstream): KeyedUpstream => ({
  async answer(call) {
    try {
      return await upstream.answer(call);
    } catch (error) {
      const isSafe = error instanceof UpstreamRefusal && error.ending === 'lost' && call.route.httpMethod === 'GET';
      if (!isSafe) throw error;
      const spend = () =>
        call.spend().catch(() => {
          throw error;
        });
      return upstream.answer({ ...call, spend });
    }
  },
});
