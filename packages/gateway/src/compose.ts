import { createHash } from 'node:crypto';
import { type Access, type Provider, type Route, routes } from '@asset-gateway/protocol';
import type { Config, TokensConfig } from './config.ts';
import { catalog } from './describe/catalog.ts';
import { loadSodium, nodeCrypto } from './gates/crypto.ts';
import type { Gate } from './gates/gate.ts';
import { fixedOrigin, localOrigins } from './gates/origin.ts';
import { publicGate } from './gates/public.ts';
import { SiwxGate } from './gates/siwx/gate.ts';
import { Nonces } from './gates/siwx/nonce.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { spellingsOf } from './secrets.ts';
import { createMatch } from './stages/match.ts';
import { createSpending } from './stages/spend.ts';
import { type LogLine, RequestTrail } from './stages/trail.ts';
import { createValidate } from './stages/validate.ts';
import type { Budget, Store } from './stores/ports.ts';
import { RestUpstream } from './upstreams/rest.ts';
import { selfUpstream } from './upstreams/self.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** What a gateway is composed from besides its configuration. */
export interface Surroundings {
  readonly store: Store;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly log: (line: LogLine) => void;
  /** The span that budgets count in, in milliseconds. */
  readonly windowMs?: number;
}

/** A gateway and the upstream connections that it holds. */
export interface Composed {
  readonly gateway: Gateway;
  close(): Promise<void>;
}

const MAX_TOKENS_IN_FLIGHT = 64;

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 16);

/** Two keys are two budgets, and a budget outlives a restart. */
function tokensBudget({ key, limitPerMinute }: TokensConfig, inFlightMs: number, windowMs = 60_000): Budget {
  return { key: `tokens:${hashOf(key)}`, limit: limitPerMinute, windowMs, inFlightMs };
}

function isEnabled(route: Route, config: Config): boolean {
  const enabled: Record<Provider, boolean> = { gateway: true, tokens: config.tokens !== undefined };
  return enabled[route.provider];
}

function tokensUpstream(tokens: TokensConfig, config: Config, pause: (seconds: number) => Promise<void>): RestUpstream {
  return new RestUpstream({
    baseUrl: tokens.baseUrl,
    headers: { 'x-api-key': tokens.key },
    deadlineMs: config.upstreamTimeoutMs,
    connections: MAX_TOKENS_IN_FLIGHT,
    secrets: spellingsOf(tokens.key),
    onRateLimited: (_, seconds) => pause(seconds),
  });
}

/** Puts the house together; the only place that knows every part. */
export async function compose(config: Config, { store, secrets, log, windowMs }: Surroundings): Promise<Composed> {
  const crypto = (await loadSodium()) ?? nodeCrypto;
  const { tokens } = config;
  if (!tokens) throw new Error('no upstream is configured');
  const randomId = () => Buffer.from(crypto.random(16)).toString('hex');
  const enabled = routes.filter((route) => isEnabled(route, config));
  const budget = tokensBudget(tokens, config.upstreamTimeoutMs, windowMs);
  const budgetOf = () => budget;
  const originOf = config.baseUrl === undefined ? localOrigins(config.host) : fixedOrigin(config.baseUrl);
  const nonces = new Nonces(crypto, secrets);
  const gates: Record<Access, Gate> = {
    public: publicGate,
    siwx: new SiwxGate({ crypto, nonces, store, originOf, budgetOf, singleUse: config.singleUse }),
  };
  const upstream = tokensUpstream(tokens, config, (seconds) => store.pause(budget, seconds * 1000));
  const upstreams: Record<Provider, Upstream> = {
    gateway: selfUpstream({
      liveness: () => ({ ok: true, service: config.serviceName, status: 'healthy' }),
      catalog: ({ query }) => catalog(enabled, query.provider === undefined ? undefined : String(query.provider)),
    }),
    tokens: upstream,
  };
  const gateway = createGateway({
    open: (inbound) => new RequestTrail(inbound, { log, randomId }),
    match: createMatch(enabled),
    gates,
    validate: createValidate(enabled),
    spending: createSpending({ store, budgetOf, maxInFlight: MAX_TOKENS_IN_FLIGHT, randomId }),
    upstreams,
  });
  return { gateway, close: () => upstream.close() };
}
