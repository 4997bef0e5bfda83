import { Refusal } from '@asset-gateway/protocol';
import type { Admission, Endpoint, Inbound, Outbound } from './call.ts';
import { lastResort } from './last-resort.ts';
import { preflight, refuse, success } from './stages/envelope.ts';
import type { MatchedCall } from './stages/match.ts';
import { AnsweredPayments, RequestTrail, type TrailDependencies } from './stages/trail.ts';

/** A function from request to response. Never rejects. */
export type Gateway = (inbound: Inbound) => Promise<Outbound>;

/** Dependencies of the pipeline. */
export interface GatewayDependencies extends Omit<TrailDependencies, 'answered'> {
  readonly match: (inbound: Inbound) => MatchedCall<Endpoint>;
  /** Called with an error that the pipeline could not turn into a refusal. Must not throw. */
  readonly onFailure: (error: unknown) => void;
}

/** Makes the pipeline: all steps of a request, in order. */
export const createGateway = ({ log, randomId, match, onFailure }: GatewayDependencies): Gateway => {
  const dependencies = { log, randomId, answered: new AnsweredPayments() };
  const answerTo = async (inbound: Inbound): Promise<Outbound> => {
    const trail = new RequestTrail(inbound, dependencies);
    try {
      const call = match(inbound);
      trail.call = call;
      if (call.method === 'OPTIONS') return trail.finish(preflight(call));
      const { endpoint, route } = call;
      const { facts } = trail;
      const prepare = () => {
        const input = endpoint.read(call);
        return (admission: Admission) => {
          const slots = endpoint.slots(admission, facts);
          return endpoint.upstream.answer({ route, input, wallet: facts.wallet, arrival: inbound, slots });
        };
      };
      const { answer, receipt } = await endpoint.gate.serve(call, facts, prepare);
      answer.onCharged?.();
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
