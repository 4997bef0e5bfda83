import type { Answer, KeyedCall } from '../call.ts';
import type { KeyedUpstream } from './upstream.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

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
