import { Refusal } from '@asset-gateway/protocol';
import type { Inbound, Outbound } from './call.ts';
import type { Endpoint } from './endpoint.ts';
import { lastResort } from './last-resort.ts';
import { preflight, refuse, success } from './stages/envelope.ts';
import type { Found } from './stages/match.ts';
import type { RequestTrail } from './stages/trail.ts';

/** From a request to its response. Never rejects. */
export type Gateway = (inbound: Inbound) => Promise<Outbound>;

/** What the pipeline needs. */
export interface GatewayDependencies {
  readonly open: (inbound: Inbound) => RequestTrail;
  readonly match: (inbound: Inbound) => Found<Endpoint>;
  /** Called with an error that could not be turned into a refusal. Must not throw. */
  readonly onFailure: (error: unknown) => void;
}

/** THE PIPELINE: everything that happens to a request, in order. */
export const createGateway = ({ open, match, onFailure }: GatewayDependencies): Gateway => {
  const answerTo = async (inbound: Inbound): Promise<Outbound> => {
    const trail = open(inbound);
    try {
      const call = trail.follow(match(inbound));
      if (call.method === 'OPTIONS') return trail.finish(preflight(call));
      const { endpoint, route } = call;
      const passed = await endpoint.gate.admit(call, trail);
      if ('answer' in passed) return trail.finish(success(route, passed.answer, passed.receipt));
      await using admission = trail.enter(passed);
      const input = endpoint.read(call);
      const spend = endpoint.spending(admission, trail);
      const { wallet } = trail;
      const cacheControl = inbound.headers['cache-control'];
      const answer = await endpoint.upstream.answer({ route, input, wallet, arrival: inbound, cacheControl, spend });
      const receipt = await admission.settle(answer);
      answer.onSettled?.();
      return trail.finish(success(route, answer, receipt));
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
