import { type Access, dollars, type Route, routes } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import { createDescribe } from '../describe/discovery.ts';
import { loadSodium, nodeCrypto } from '../gates/crypto.ts';
import type { Gate } from '../gates/gate.ts';
import { fixedOrigin, localOrigins } from '../gates/origin.ts';
import { closedGate, publicGate } from '../gates/public.ts';
import { SiwxGate } from '../gates/siwx/gate.ts';
import { Nonces } from '../gates/siwx/nonce.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import type { Readings } from '../metrics/readings.ts';
import { createMatch } from '../stages/match.ts';
import { createSpending } from '../stages/spend.ts';
import { type LogLine, RequestTrail } from '../stages/trail.ts';
import { createValidate } from '../stages/validate.ts';
import type { FeeStore } from '../stores/fees.ts';
import type { PaymentStore } from '../stores/payments.ts';
import type { Store } from '../stores/ports.ts';
import type { BreakerOptions } from '../upstreams/breaker.ts';
import { selfUpstream } from '../upstreams/self.ts';
import { Lanes } from './lanes.ts';
import { ownAnswers } from './own-answers.ts';
import { readiness } from './readiness.ts';
import { readingsOf } from './readings.ts';
import { openShop, priceNotices, type Shop } from './shop.ts';

/** What a gateway is composed from besides its configuration. */
export interface Surroundings {
  readonly store: Store;
  readonly payments?: PaymentStore;
  readonly fees?: FeeStore;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly log: (line: LogLine) => void;
  readonly notice?: (message: string) => void;
  readonly onFailure?: (error: unknown) => void;
  /** The span that the asset-data budget counts in, in milliseconds; a minute unless told. */
  readonly windowMs?: number;
  /** When an upstream that fails is left alone; the usual unless told. */
  readonly breaker?: Partial<BreakerOptions>;
  /** Told at each step of a purchase. */
  readonly onStep?: (step: string) => void;
  /** Told how each settlement has ended. */
  readonly onSettlement?: (outcome: string) => void;
  /** Whether this node takes leave: it is then no longer ready. */
  readonly isStopping?: () => boolean;
}

/** A gateway and the connections that it holds. */
export interface Composed {
  readonly gateway: Gateway;
  readonly readings: Readings;
  close(): Promise<void>;
}

const ignore = () => undefined;

/** Puts the house together; the only place that knows every part. */
export async function compose(config: Config, surroundings: Surroundings): Promise<Composed> {
  const { store, payments, fees, secrets, log, notice = ignore, onFailure = ignore } = surroundings;
  const { windowMs, breaker, isStopping = () => false } = surroundings;
  const crypto = (await loadSodium()) ?? nodeCrypto;
  const randomId = () => Buffer.from(crypto.random(16)).toString('hex');
  const originOf = config.baseUrl === undefined ? localOrigins(config.host) : fixedOrigin(config.baseUrl);
  const lanes = new Lanes({ config, store, onFailure, windowMs, breaker });
  const parts = { ...surroundings, config, crypto, originOf, randomId, notice, onFailure };
  const ledgers = payments && fees && { payments, fees };
  const shop = config.paid && ledgers ? await openShop({ ...parts, paid: config.paid, ...ledgers }) : undefined;
  const enabled = routes.filter((route) => isEnabled(route, lanes, shop));
  const laneOf = (route: Route) => lanes.get(route) ?? unreachable(route);
  const budgetOf = (route: Route) => laneOf(route).budget;
  const nonces = new Nonces(crypto, secrets);
  const priceUsd = (route: Route): string => dollars(shop?.priceOf(route) ?? 0);
  const service = { name: config.serviceName, routes: enabled, priceUsd };
  const describe = createDescribe(service);
  const siwx = new SiwxGate({ crypto, nonces, store, originOf, budgetOf, describe, singleUse: config.singleUse });
  const gates: Record<Access, Gate> = { public: publicGate, siwx, exact: shop?.gate(describe) ?? closedGate };
  const own = { ...ownAnswers(service, originOf), readiness: () => readiness(store, isStopping()) };
  const gateway = createGateway({
    open: (inbound) => new RequestTrail(inbound, { log, randomId }),
    match: createMatch(enabled),
    gates,
    validate: createValidate(enabled),
    spending: createSpending({ store, budgetOf, inFlightOf: (route) => laneOf(route).inFlight, randomId }),
    upstreamOf: (call) => (call.route.provider === 'gateway' ? selfUpstream(own, call) : laneOf(call.route).upstream),
  });
  if (shop) for (const line of priceNotices(enabled, shop)) notice(line);
  const readings = readingsOf({ store, lanes, payments, shop, isStopping });
  return { gateway, readings, close: () => closeBoth(shop, lanes) };
}

async function closeBoth(shop: Shop | undefined, lanes: Lanes): Promise<void> {
  await shop?.close();
  await lanes.close();
}

/** A route is there when somebody answers it and, for money, when somebody can be paid. */
function isEnabled(route: Route, lanes: Lanes, shop: Shop | undefined): boolean {
  if (route.provider === 'gateway') return true;
  const isSold = route.access !== 'exact' || shop?.clusters.has(route.cluster ?? '') === true;
  return isSold && lanes.get(route) !== undefined;
}

function unreachable(route: Route): never {
  throw new Error(`${route.id} is enabled and has no lane`);
}
