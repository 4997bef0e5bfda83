import type { Access } from '@asset-gateway/protocol';
import type { Call, Inbound, Input, Outbound, Spend, Trail } from './call.ts';
import type { Admission, Gate } from './gates/gate.ts';
import { preflight } from './stages/cors.ts';
import { refuse, success } from './stages/envelope.ts';
import type { RequestTrail } from './stages/trail.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** The gateway: a request goes in, an answer comes out. It never rejects. */
export type Gateway = (inbound: Inbound) => Promise<Outbound>;

/** What the pipeline is put together from. */
export interface House {
  readonly open: (inbound: Inbound) => RequestTrail;
  readonly match: (inbound: Inbound) => Call;
  readonly gates: Readonly<Record<Access, Gate>>;
  readonly validate: (call: Call) => Input;
  readonly spending: (call: Call, admission: Admission, trail: Trail) => Spend;
  readonly upstreamOf: (call: Call) => Upstream;
}

/** THE PIPELINE: everything that happens to a request, in the order in which it happens. */
export const createGateway = ({ open, match, gates, validate, spending, upstreamOf }: House): Gateway => {
  return async (inbound) => {
    const trail = open(inbound);
    try {
      const call = trail.follow(match(inbound));
      if (call.method === 'OPTIONS') return trail.finish(preflight(call));
      const { route } = call;
      await using admission = await gates[route.access].admit(call, trail);
      const bought = admission.answer;
      if (bought) return trail.finish(success(route, bought, await admission.settle(bought)));
      const input = validate(call);
      const answer = await upstreamOf(call).answer(route, input, spending(call, admission, trail));
      const receipt = await admission.settle(answer);
      return trail.finish(success(route, answer, receipt));
    } catch (error) {
      return trail.finish(refuse(error, trail));
    }
  };
};
