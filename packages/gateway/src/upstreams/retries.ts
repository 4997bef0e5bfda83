import type { Answer, KeyedCall } from '../call.ts';
import { type KeyedUpstream, UpstreamRefusal } from './upstream.ts';

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

const isLost = (error: unknown): boolean => error instanceof UpstreamRefusal && error.ending === 'lost';

/**
 * Sends a GET once more whose connection was lost before a byte of the answer had come, as happens when an upstream
 * closes a kept-alive connection just then. It spends again; where that is refused, the loss stays the answer. Once that
 * was lost as well the upstream is down, and each call is one request until an answer comes.
 */
export function resending(upstream: KeyedUpstream): KeyedUpstream {
  let isDown = false;

  const ask = async (call: KeyedCall): Promise<Answer> => {
    try {
      const answer = await upstream.answer(call);
      isDown = false;
      return answer;
    } catch (error) {
      if (error instanceof UpstreamRefusal && !isLost(error)) isDown = false;
      throw error;
    }
  };

  return {
    async answer(call) {
      const isSafe = call.route.httpMethod === 'GET' && !isDown;
      try {
        return await ask(call);
      } catch (error) {
        if (!isSafe || !isLost(error)) throw error;
        const spend = () =>
          call.spend().catch(() => {
            throw error;
          });
        return ask({ ...call, spend }).catch((again) => {
          isDown ||= isLost(again) && again !== error;
          throw again;
        });
      }
    },
  };
}
