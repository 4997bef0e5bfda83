import { Refusal } from '@asset-gateway/protocol';
import type { Input } from '../call.ts';
import type { Upstream } from './upstream.ts';

/** What the gateway answers by itself, by the row's method. */
export type OwnAnswers = Readonly<Record<string, (input: Input) => unknown>>;

/** The gateway's own answers; they cost nobody's budget. */
export const selfUpstream = (answers: OwnAnswers): Upstream => ({
  async answer(route, input) {
    const answer = answers[route.method];
    if (!answer) throw new Refusal('not_found', { reason: `no answer for ${route.id}` });
    return { json: JSON.stringify(answer(input)) };
  },
});
