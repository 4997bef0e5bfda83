import type { Upstream } from './upstream.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

/**
 * Sends a GET once more whose connection was lost before a byte of the answer had come, as happens when an upstream
 * closes a kept-alive connection just then. It spends again; where that is refused, the loss stays the answer.
 */
export const resending = (upstream: Upstream): Upstream => ({
  async answer(route, input, spend) {
    try {
      return await upstream.answer(route, input, spend);
    } catch (error) {
      const isSafe = error instanceof UpstreamRefusal && error.ending === 'lost' && route.httpMethod === 'GET';
      if (!isSafe) throw error;
      return upstream.answer(route, input, () =>
        spend().catch(() => {
          throw error;
        }),
      );
    }
  },
});
