import type { Access, Route } from '@asset-gateway/protocol';
import { refusingBlocked } from '../blocked/list.ts';
import { SlotTaker } from '../budget/slot-taker.ts';
import type { Endpoint, Gate, UpstreamWithSlots } from '../call.ts';
import { createDescribe } from '../describe/discovery.ts';
import { ExactGate } from '../gates/exact.ts';
import { publicGate } from '../gates/gate.ts';
import { SiwxGate } from '../gates/siwx/gate.ts';
import { Nonces } from '../gates/siwx/nonce.ts';
import { signIns } from '../gates/siwx/sign-in.ts';
import { limitingUnpaid, UnpaidCalls } from '../gates/unpaid.ts';
import { createReader } from '../stages/validate.ts';
import type { OwnAnswer } from '../upstreams/upstream.ts';
import type { Channel, Channels } from './channels.ts';
import type { Foundation } from './dependencies.ts';
import type { Parts } from './parts.ts';

/** Binds every route of a service to its gate, reader, budget and upstream. Throws if one is missing. */
export function bindEndpoints(foundation: Foundation, parts: Parts): Endpoint[] {
  const { service, blocked } = parts;
  const gates = gatesOf(foundation, parts);
  const ofApis = new Set(foundation.config.apis.map(({ name }) => name));
  const unpaid = new UnpaidCalls(() => performance.now());
  const gateOf = (route: Route): Gate => {
    const isSold = route.access === 'exact' && ofApis.has(route.provider);
    const gate = isSold ? limitingUnpaid(gates.exact(route), unpaid) : gates[route.access](route);
    return blocked && route.access !== 'public' ? refusingBlocked(gate, blocked) : gate;
  };
  const bind = (route: Route, serving: UpstreamWithSlots): Endpoint => ({
    route,
    gate: gateOf(route),
    read: createReader(route),
    ...serving,
  });
  return [
    ...service.routes.map((route) => bind(route, servingOf(route, foundation, parts))),
    ...parts.unlisted.map(({ route, answer }) => bind(route, byGateway(route, answer))),
  ];
}

/** Makes the gate of a route, by its access. */
function gatesOf(foundation: Foundation, { service, channels, exact, credit }: Parts) {
  const { config, crypto, secrets, store, originOf, tracing } = foundation;
  const describe = (route: Route) => createDescribe(route, service);
  const signIn = { crypto, nonces: new Nonces(crypto, secrets), clocks: store };
  const siwx = { signIn, signIns: tracing.spanned(signIns, { read: 'sign-in' }), store, originOf };
  const { singleUse } = config;
  const gates: Readonly<Record<Access, (route: Route) => Gate>> = {
    public: () => publicGate,
    siwx(route) {
      const allowance = route.surface === 'credit' ? undefined : channelOf(route, channels).keys;
      return new SiwxGate({ ...siwx, singleUse, allowance, describe: describe(route) });
    },
    exact(route) {
      if (credit) return credit.gate(route, describe(route));
      const { dependencies, offerOf } = exact ?? failMissing(`${route.id} has no payee`);
      return new ExactGate(dependencies, { describe: describe(route), offer: offerOf(route), credit });
    },
  };
  return gates;
}

function servingOf(route: Route, foundation: Foundation, parts: Parts): UpstreamWithSlots {
  if (route.surface === 'credit')
    return byGateway(route, parts.credit?.ownAnswerOf(route) ?? failMissing(`${route.id} has no accounts`));
  if (route.provider === 'gateway')
    return byGateway(route, parts.own[route.method] ?? failMissing(`${route.id} has no answer`));
  return byChannel(channelOf(route, parts.channels), foundation, parts);
}

const byGateway = ({ id }: Route, answer: OwnAnswer): UpstreamWithSlots => ({
  upstream: { answer: async (call) => answer(call) },
  slots: () => ({ take: () => failMissing(`${id} has no budget`) }),
});

function byChannel(channel: Channel, { store, randomId }: Foundation, parts: Parts): UpstreamWithSlots {
  const { name, keys: allowance, inFlightLimit } = channel;
  // Slots of our paid upstreams are limited by payments.
  const sharing = name.cluster === undefined ? parts.sharing : undefined;
  const taking = { store, allowance, inFlightLimit, sharing, randomId };
  return {
    upstream: parts.caches.get(channel) ?? channel.upstream,
    slots: (admission, facts) => new SlotTaker(taking, admission, facts),
  };
}

const channelOf = (route: Route, channels: Channels): Channel =>
  channels.get(route) ?? failMissing(`${route.id} has no channel`);

function failMissing(what: string): never {
  throw new Error(what);
}
