import { Refusal } from '@asset-gateway/protocol';
import type { Answer, Call, Input } from '../call.ts';
import type { Upstream } from './upstream.ts';

/** What the gateway answers by itself, by the row's method. */
export type OwnAnswers = Readonly<Record<string, (call: Call, input: Input) => Answer>>;

/** The gateway's own answer to a call; it costs nobody's budget. */
export const selfUpstream = (answers: OwnAnswers, call: Call): Upstream => ({
  async answer(route, input) {
    const answer = answers[route.method];
    if (!answer) throw new Refusal('not_found', { reason: `no answer for ${route.id}` });
    return answer(call, input);
  },
});
