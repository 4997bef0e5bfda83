import { NETWORKS, type PaymentRequired } from '@asset-gateway/protocol';
import { type ListedRoute, routesIn } from './catalog.ts';
import type { Connection } from './connection.ts';
import { creditIn } from './credit.ts';
import type { Deadline } from './deadline.ts';
import { errorOf, GatewayError } from './error.ts';
import { type Asked, askedIn, type Exchange } from './exchange.ts';
import { METHODS } from './methods.ts';
import type { NoncePool } from './nonce-pool.ts';
import { resend } from './resending.ts';
import { challengeIn } from './sign-in.ts';

const offersIn = (asked: Asked): readonly unknown[] => (Array.isArray(asked?.accepts) ? asked.accepts : []);

const AMOUNT = /^[0-9]{1,15}$/;

/** What a requirement asks for, in millionths of a dollar; what cannot be read is above every cap. */
function priceIn(requirement: unknown): number {
  const { amount } = (requirement ?? {}) as { readonly amount?: unknown };
  return typeof amount === 'string' && AMOUNT.test(amount) ? Number(amount) : Number.POSITIVE_INFINITY;
}

const preference = ({ connection }: Exchange): Readonly<Record<string, string>> =>
  connection.mayPrefer ? { Prefer: 'credit' } : {};

const isWithinCap = ({ settings: { maxUsd } }: Exchange, micros: number): boolean =>
  maxUsd === undefined || micros <= Math.round(maxUsd * 1e6);

/** Pays for what a 402 asks, where there is somebody who pays; otherwise the 402 is the answer. */
async function settle(exchange: Exchange, response: Response, asked: Asked): Promise<Response> {
  const { connection, outgoing, settings, deadline } = exchange;
  const { pay } = connection.options;
  if (!pay || offersIn(asked).length === 0) return response;
  const { request, buys = settings.credit ? 'bundle' : 'call' } = outgoing;
  const wish = {
    request,
    buys,
    maxUsd: settings.maxUsd,
    signal: deadline.signal,
    network: exchange.network ?? NETWORKS.mainnet,
    catalog: (isAnew = false) => catalogOf(connection, deadline, isAnew ? JUST_MS : CATALOG_MS),
  };
  const payment = await deadline.race(pay.pay(asked as PaymentRequired, wish));
  const answer = await resend(connection, request, payment, deadline);
  if (answer.status === 402) throw refusedPayment(answer, await answer.clone().text(), payment.micros);
  return answer;
}

/** Why a 402 after a payment is no question to pay again. */
function refusedPayment(response: Response, text: string, micros: number): GatewayError {
  const { code, message: why, requestId, payment } = errorOf(response, text);
  const message =
    `a payment of $${micros / 1e6} was sent and refused (${code}: ${why}); it counts as spent, ` +
    'and a new payment for this request is made ten minutes after it at the earliest';
  return new GatewayError('payment_refused', { message, status: 402, requestId, payment, response });
}

const MAX_CATALOG_BYTES = 1024 * 1024;
const CATALOG_MS = 600_000;
/** What was read in this moment is new. */
const JUST_MS = 1_000;
const catalogs = new WeakMap<Connection, { readonly routes: readonly ListedRoute[]; readonly at: number }>();

/** The routes that the gateway lists, read at most this long ago. */
async function catalogOf(
  connection: Connection,
  deadline: Deadline,
  maxAgeMs: number,
): Promise<readonly ListedRoute[]> {
  const kept = catalogs.get(connection);
  if (kept && performance.now() - kept.at < maxAgeMs) return kept.routes;
  const { base, options } = connection;
  const url = new URL(METHODS.system?.catalog?.path ?? '', base).href;
  const fetched = async () => {
    const asked = { url, method: 'GET', maxBytes: MAX_CATALOG_BYTES, isRevalidated: true } as const;
    const response = await connection.send(asked, {}, deadline);
    if (!response.ok) throw errorOf(response, await response.text());
    return askedIn(response);
  };
  const routes = routesIn(await (options.catalog?.(deadline.signal) ?? fetched()));
  const message = `${base.origin} shows no catalog; nothing was signed`;
  if (!routes) throw new GatewayError('not_a_gateway', { message });
  catalogs.set(connection, { routes, at: performance.now() });
  return routes;
}

/** What a 402 leads to as far as credit goes; nothing where a payment is what is left. */
async function spendOn(
  exchange: Exchange,
  asked: Asked,
  pool: NoncePool,
  nonce: string | undefined,
): Promise<Response | undefined> {
  const { connection, outgoing, settings } = exchange;
  const challenge = challengeIn(asked);
  const hasAsked = connection.mayPrefer;
  connection.sellsCredit = challenge !== undefined || offersIn(asked).length > 1;
  if (asked?.error === 'credit_exhausted') {
    // It was not used up.
    if (nonce !== undefined) pool.give(nonce);
    return undefined;
  }
  const price = priceIn(offersIn(asked)[0]);
  if (outgoing.name !== undefined) connection.prices.set(outgoing.name, price);
  if (!isWithinCap(exchange, price)) {
    const message = `the call costs $${price / 1e6}, above the cap of $${settings.maxUsd}; nothing was signed`;
    throw new GatewayError('spending_limit', { message });
  }
  if (challenge && exchange.maySign) {
    if (nonce !== undefined) pool.forget();
    return exchange.answer(pool, challenge);
  }
  // A page of another origin may ask for a challenge only now.
  return connection.sellsCredit && !hasAsked ? exchange.send(preference(exchange)) : undefined;
}

/** An answer that credit pays for, or else a payment. */
async function spent(exchange: Exchange, pool: NoncePool): Promise<Response> {
  const { connection, outgoing, deadline } = exchange;
  // Where there may be no credit nobody waits for the nonce of another.
  const isPooled =
    pool.isKnown && isWithinCap(exchange, connection.prices.get(outgoing.name ?? '') ?? Number.POSITIVE_INFINITY);
  const nonce = isPooled ? await pool.take(deadline.signal) : undefined;
  try {
    let response = await exchange.sendWith(pool, nonce, preference(exchange));
    while (response.status === 402) {
      const asked = await askedIn(response);
      const next = await spendOn(exchange, asked, pool, nonce);
      if (!next) return await settle(exchange, response, asked);
      response = next;
    }
    const charged = creditIn(response)?.chargedMicros;
    // A price that has risen is asked about again before the next signature spends.
    if (charged !== undefined && outgoing.name !== undefined) connection.prices.set(outgoing.name, charged);
    return response;
  } finally {
    if (isPooled) pool.done();
  }
}

/** The answer of a paid route, whatever its status: from credit, or for a payment. */
export async function paidAnswer(exchange: Exchange): Promise<Response> {
  const { connection, outgoing, settings } = exchange;
  const hasCredit = settings.credit !== false && outgoing.buys === undefined && connection.sellsCredit !== false;
  if (hasCredit) return spent(exchange, connection.pool(outgoing.cluster ?? ''));
  const response = await exchange.send({});
  return response.status === 402 ? settle(exchange, response, await askedIn(response)) : response;
}
