import { GatewayError } from './error.ts';
import { type Asked, askedIn, type Exchange } from './exchange.ts';
import type { NoncePool } from './nonce-pool.ts';
import { resend } from './resending.ts';
import { challengeIn } from './sign-in.ts';

const offersIn = (asked: Asked): readonly unknown[] => (Array.isArray(asked?.accepts) ? asked.accepts : []);

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
  const wish = { request, buys, maxUsd: settings.maxUsd, signal: deadline.signal };
  return resend(connection, request, await pay.pay(asked as Parameters<typeof pay.pay>[0], wish), deadline);
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
  const price = Number((offersIn(asked)[0] as { amount?: unknown } | undefined)?.amount);
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
