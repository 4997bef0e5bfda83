import { Refusal } from '@asset-gateway/protocol';
import type { Endpoint, Inbound, Outbound } from './call.ts';
import { lastResort } from './last-resort.ts';
import { preflight, refuse, success } from './stages/envelope.ts';
import type { Found } from './stages/match.ts';
import { RequestTrail, type TrailDependencies } from './stages/trail.ts';

/** From a request to its response. Never rejects. */
export type Gateway = (inbound: Inbound) => Promise<Outbound>;

/** What the pipeline needs. */
export interface GatewayDependencies {
  readonly trail: TrailDependencies;
  readonly match: (inbound: Inbound) => Found<Endpoint>;
  /** Called with an error that could not be turned into a refusal. Must not throw. */
  readonly onFailure: (error: unknown) => void;
}

/** THE PIPELINE: everything that happens to a request, in order. */
export const createGateway = ({ trail: dependencies, match, onFailure }: GatewayDependencies): Gateway => {
  const answerTo = async (inbound: Inbound): Promise<Outbound> => {
    const trail = new RequestTrail(inbound, dependencies);
    try {
      const call = match(inbound);
      trail.call = call;
      if (call.method === 'OPTIONS') return trail.finish(preflight(call));
      const { endpoint, route } = call;
      const passed = await endpoint.gate.admit(call, trail.facts);
      if ('answer' in passed) return trail.finish(success(route, passed.answer, passed.receipt));
      trail.admission = passed;
      try {
        const input = endpoint.read(call);
        const spend = endpoint.spending(passed, trail.facts);
        const { wallet } = trail.facts;
        const answer = await endpoint.upstream.answer({ route, input, wallet, arrival: inbound, spend });
        const receipt = await passed.settle(answer);
        answer.onSettled?.();
        return trail.finish(success(route, answer, receipt));
      } finally {
        await passed[Symbol.asyncDispose]();
      }
    } catch (error) {
      return trail.finish(refuse(error, trail));
    }
  };
  return (inbound) =>
    answerTo(inbound).catch((error) => {
      onFailure(error);
      return lastResort(new Refusal('internal_error'));
    });
};
