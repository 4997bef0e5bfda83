import type { Access, Route } from '@asset-gateway/protocol';
import { blocking } from '../blocked/list.ts';
import { SlotTaker } from '../budget/slot-taker.ts';
import type { Endpoint, Gate, Serving } from '../call.ts';
import { createDescribe } from '../describe/discovery.ts';
import { publicGate } from '../gates/gate.ts';
import { SiwxGate } from '../gates/siwx/gate.ts';
import { signIns } from '../gates/siwx/sign-in.ts';
import { limitingUnpaid, UnpaidCalls } from '../gates/unpaid.ts';
import { createReader } from '../stages/validate.ts';
import type { OwnAnswer } from '../upstreams/upstream.ts';
import type { Channel, Channels } from './channels.ts';
import type { Foundation } from './dependencies.ts';
import type { Parts } from './parts.ts';

/** Binds every route of a service to its gate, reader, budget and upstream. Throws if one is missing. */
export function bindEndpoints(dependencies: Foundation & Parts): Endpoint[] {
  const { config, service, channels, signIn, exact, credit, blocked, tracing } = dependencies;
  const describe = (route: Route) => createDescribe(route, service);
  const traced = tracing.spanned(signIns, { read: 'sign-in' });
  const gates: Readonly<Record<Access, (route: Route) => Gate>> = {
    public: () => publicGate,
    siwx(route) {
      const allowance = route.surface === 'credit' ? undefined : channelOf(route, channels).keys;
      return new SiwxGate({ ...signIn, signIns: traced, allowance, describe: describe(route) });
    },
    exact(route) {
      return (credit ?? exact)?.gate(route, describe(route)) ?? missing(`${route.id} has no payee`);
    },
  };
  const ofApis = new Set(config.apis.map(({ name }) => name));
  const unpaid = new UnpaidCalls(() => performance.now());
  const gateOf = (route: Route): Gate => {
    const isSold = route.access === 'exact' && ofApis.has(route.provider);
    const gate = isSold ? limitingUnpaid(gates.exact(route), unpaid) : gates[route.access](route);
    return blocked && route.access !== 'public' ? blocking(gate, blocked) : gate;
  };
  const bind = (route: Route, serving: Serving): Endpoint => ({
    route,
    gate: gateOf(route),
    read: createReader(route),
    ...serving,
  });
  return [
    ...service.routes.map((route) => bind(route, servingOf(route, dependencies))),
    ...dependencies.unlisted.map(({ route, answer }) => bind(route, byGateway(route, answer))),
  ];
}

function servingOf(route: Route, dependencies: Foundation & Parts): Serving {
  if (route.surface === 'credit') return dependencies.credit?.serving(route) ?? missing(`${route.id} has no accounts`);
  if (route.provider === 'gateway')
    return byGateway(route, dependencies.own[route.method] ?? missing(`${route.id} has no answer`));
  return byChannel(channelOf(route, dependencies.channels), dependencies);
}

const byGateway = ({ id }: Route, answer: OwnAnswer): Serving => ({
  upstream: { answer: async (call) => answer(call) },
  slots: () => ({ take: () => missing(`${id} has no budget`) }),
});

const byChannel = (channel: Channel, dependencies: Foundation & Parts): Serving => {
  const { name, keys: allowance, room } = channel;
  const { store, randomId, caches } = dependencies;
  // Slots of our paid upstreams are limited by payments.
  const sharing = name.cluster === undefined ? dependencies.sharing : undefined;
  const taking = { store, allowance, room, sharing, randomId };
  return {
    upstream: caches.get(channel) ?? channel.upstream,
    slots: (admission, trail) => new SlotTaker(taking, admission, trail),
  };
};

const channelOf = (route: Route, channels: Channels): Channel =>
  channels.get(route) ?? missing(`${route.id} has no channel`);

function missing(what: string): never {
  throw new Error(what);
}
