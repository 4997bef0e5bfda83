import type { Access, Route } from '@asset-gateway/protocol';
import { type Blocked, blocking } from '../blocked/list.ts';
import type { Store } from '../budget/store.ts';
import { createDescribe } from '../describe/discovery.ts';
import type { Service } from '../describe/service.ts';
import type { Endpoint } from '../endpoint.ts';
import { type Gate, publicGate } from '../gates/gate.ts';
import { SiwxGate, type SiwxParts } from '../gates/siwx/gate.ts';
import type { ExactSetup } from '../payments/open.ts';
import { createSpending, type Sharing } from '../stages/spend.ts';
import { createReader } from '../stages/validate.ts';
import { type OwnAnswer, type OwnRoute, selfUpstream, type Upstream } from '../upstreams/upstream.ts';
import type { Channel, Channels } from './channels.ts';
import type { Credit } from './credit.ts';
import type { OwnAnswers } from './service.ts';

/** A function that is made when it is first called: a start makes no readers and descriptions that nobody may ask for. */
export function onFirstCall<Parts extends readonly unknown[], Result>(
  make: () => (...parts: Parts) => Result,
): (...parts: Parts) => Result {
  let made: ((...parts: Parts) => Result) | undefined;
  return (...parts) => {
    made ??= make();
    return made(...parts);
  };
}

/** What endpoints are bound from. */
interface EndpointParts {
  readonly service: Service;
  readonly store: Store;
  readonly channels: Channels;
  readonly own: OwnAnswers;
  /** What is served beside the routes of the service. */
  readonly beside: readonly OwnRoute[];
  readonly signIn: Omit<SiwxParts, 'allowance' | 'describe'>;
  readonly exact: ExactSetup | undefined;
  readonly credit: Credit | undefined;
  /** Who is let pass no gate; nothing where nobody is blocked. */
  readonly blocked: Blocked | undefined;
  /** How the asset-data budget is shared out; nothing where it is not. */
  readonly sharing: Sharing | undefined;
  readonly randomId: () => string;
  /** What stands in front of a channel whose answers are kept. */
  readonly caches: ReadonlyMap<Channel, Upstream>;
}

/** Binds every route of a service to what serves it. Throws where one would be without. */
export function bindEndpoints(parts: EndpointParts): Endpoint[] {
  const { service, channels, signIn, exact, credit, blocked } = parts;
  const describe = (route: Route) => onFirstCall(() => createDescribe(route, service));
  const gates: Readonly<Record<Access, (route: Route) => Gate>> = {
    public: () => publicGate,
    siwx(route) {
      const allowance = route.surface === 'credit' ? undefined : channelOf(route, channels).allowance;
      return new SiwxGate({ ...signIn, allowance, describe: describe(route) });
    },
    exact: (route) => (credit ?? exact)?.gate(route, describe(route)) ?? missing(`${route.id} has nobody to pay`),
  };
  const gateOf = (route: Route): Gate => {
    const gate = gates[route.access](route);
    return blocked && route.access !== 'public' ? blocking(gate, blocked) : gate;
  };
  const bind = (route: Route, serving: Serving): Endpoint => ({
    route,
    gate: gateOf(route),
    read: onFirstCall(() => createReader(route)),
    ...serving,
  });
  return [
    ...service.routes.map((route) => bind(route, servingOf(route, parts))),
    ...parts.beside.map(({ route, answer }) => bind(route, byItself(route, answer))),
  ];
}

type Serving = Pick<Endpoint, 'spending' | 'upstream'>;

function servingOf(route: Route, parts: EndpointParts): Serving {
  if (route.surface === 'credit') return parts.credit?.serving(route) ?? missing(`${route.id} has no accounts`);
  if (route.provider === 'gateway')
    return byItself(route, parts.own[route.method] ?? missing(`${route.id} has no answer`));
  return byChannel(channelOf(route, parts.channels), parts);
}

const byItself = ({ id }: Route, answer: OwnAnswer): Serving => ({
  upstream: selfUpstream(answer),
  spending: () => () => missing(`${id} has no budget`),
});

const byChannel = (channel: Channel, parts: EndpointParts): Serving => {
  const { name, allowance, room } = channel;
  const { store, randomId, caches } = parts;
  const sharing = name.surface === 'tokens' ? parts.sharing : undefined;
  return {
    upstream: caches.get(channel) ?? channel.upstream,
    spending: createSpending({ store, allowance, room, sharing, randomId }),
  };
};

const channelOf = (route: Route, channels: Channels): Channel =>
  channels.get(route) ?? missing(`${route.id} has no channel`);

function missing(what: string): never {
  throw new Error(what);
}
