import type { Answer, KeyedCall } from '../call.ts';
import { type KeyedUpstream, UpstreamRefusal } from './upstream.ts';

const isLost = (error: unknown): boolean => error instanceof UpstreamRefusal && error.ending === 'lost';

/**
 * Resends a GET once if its connection was lost before the first byte of the answer, as when an upstream closes a kept-alive
 * connection. The retry takes another slot; without one the loss is reported. After a lost retry the upstream counts as down, and
 * calls are not resent until one is answered.
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
