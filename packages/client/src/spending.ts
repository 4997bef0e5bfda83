import {
  below,
  dollarText,
  listAt,
  member,
  microsOf,
  microsOfUsd,
  mostMicrosOf,
  NETWORKS,
  type PaymentRequired,
  spendStatement,
} from '@asset-gateway/protocol/wire';
import { creditIn } from './call.ts';
import { errorOf, GatewayError } from './error.ts';
import { type Body402, type Exchange, readObject } from './exchange.ts';
import { catalogFor } from './fetch-catalog.ts';
import type { NoncePool } from './nonce-pool.ts';
import { resend } from './resending.ts';
import { challengeIn, type SignInChallenge } from './sign-in.ts';

const requirementsIn = (body: Body402): readonly unknown[] => listAt(body, 'accepts');

const AMOUNT = /^[0-9]{1,15}$/;

/** Returns a requirement's price in millionths of a dollar; infinite if it cannot be read. */
function priceIn(requirement: unknown): number {
  const amount = member(requirement, 'amount');
  return typeof amount === 'string' && AMOUNT.test(amount) ? Number(amount) : Number.POSITIVE_INFINITY;
}

/** Returns a call's price from credit: the amount in the text to sign, else the one in the 402. */
function creditPriceIn(requirement: unknown, challenge: SignInChallenge | undefined): number {
  const statedPrice = below(requirement, 'extra', 'creditPriceUsd');
  return mostMicrosOf(challenge?.info.statement) ?? microsOf(statedPrice) ?? priceIn(requirement);
}

const preferenceHeaders = ({ connection }: Exchange): Readonly<Record<string, string>> =>
  connection.mayPrefer ? { Prefer: 'credit' } : {};

const isWithinCap = ({ settings: { maxUsd } }: Exchange, micros: number): boolean =>
  maxUsd === undefined || micros <= microsOfUsd(maxUsd);

/** Pays a 402 if the client has a payer. Otherwise the 402 is the answer. */
async function payFor(exchange: Exchange, response: Response, body: Body402): Promise<Response> {
  const { connection, outgoing, settings, deadline } = exchange;
  const { pay } = connection.options;
  if (!pay || requirementsIn(body).length === 0) return response;
  const { request, buys = settings.credit ? 'bundle' : 'call' } = outgoing;
  const wish = {
    request,
    buys,
    maxUsd: settings.maxUsd,
    signal: deadline.signal,
    network: exchange.network ?? NETWORKS.mainnet,
    catalog: (isAnew?: boolean) => catalogFor(connection, deadline, new URL(request.url).pathname, isAnew),
  };
  const payment = await deadline.race(pay.pay(body as PaymentRequired, wish));
  const answer = await resend(connection, request, payment, deadline);
  if (answer.status === 402) throw refusedPayment(answer, await answer.clone().text(), payment.micros);
  return answer;
}

/** The end of a running purchase of credit. Each cluster of a client has a pool. */
const purchases = new WeakMap<NoncePool, Promise<void>>();

/** Returns the answer to a bundle's payment, which parallel calls wait for and share. */
function sharePurchase(answer: Promise<Response>, pool: NoncePool): Promise<Response> {
  const end = (): void => void purchases.delete(pool);
  purchases.set(pool, answer.then(end, end));
  return answer;
}

/** Returns the error for a 402 after a payment. The client must not pay it again. */
function refusedPayment(response: Response, text: string, micros: number): GatewayError {
  const { code, message: why, requestId, payment } = errorOf(response, text);
  const message =
    `a payment of ${dollarText(micros)} was sent and refused (${code}: ${why}); it counts as spent until it can no longer settle, ` +
    'about a minute from now; then a repeated call makes a new payment';
  return new GatewayError('payment_refused', { message, status: 402, requestId, payment, response });
}

/** Remembers the call's price in a 402. Throws if the price is above the cap. */
function notePrice(exchange: Exchange, body: Body402, challenge: SignInChallenge | undefined): void {
  const { connection, outgoing, settings } = exchange;
  const price = creditPriceIn(requirementsIn(body)[0], challenge);
  if (outgoing.name !== undefined) connection.prices.set(outgoing.name, price);
  if (isWithinCap(exchange, price)) return;
  const message = `the call costs ${dollarText(price)}, above the cap of $${settings.maxUsd}; nothing was signed`;
  throw new GatewayError('spending_limit', { message });
}

/**
 * Returns the next answer after a 402, if credit can pay: to a signature, or to a request that asks for credit. Undefined if only a payment
 * can, because the credit is used up or the gateway sells none. `nonce`: the nonce that the refused request has signed.
 */
async function retryWithCredit(
  exchange: Exchange,
  body: Body402,
  pool: NoncePool,
  nonce: string | undefined,
): Promise<Response | undefined> {
  const { connection } = exchange;
  const challenge = challengeIn(body);
  const hasPreferred = connection.mayPrefer;
  connection.sellsCredit = challenge !== undefined || requirementsIn(body).length > 1;
  if (body?.error === 'credit_exhausted') {
    // The gateway did not consume the nonce.
    if (nonce !== undefined) pool.add(nonce);
    return undefined;
  }
  notePrice(exchange, body, challenge);
  if (challenge && exchange.maySign) {
    if (nonce !== undefined) pool.forget();
    return exchange.answer(pool, challenge);
  }
  // Send `Prefer` only now that the gateway is known to sell credit. Otherwise its preflight could reject a browser
  // page's request.
  return connection.sellsCredit && !hasPreferred ? exchange.send(preferenceHeaders(exchange)) : undefined;
}

/** Returns an answer paid from credit, or else with a payment. */
async function fromCredit(exchange: Exchange, pool: NoncePool): Promise<Response> {
  const { connection, outgoing, settings, deadline } = exchange;
  // Wait for a nonce only if the price is known and within the cap.
  const price = connection.prices.get(outgoing.name ?? '');
  const isPooled = pool.isKnown && price !== undefined && isWithinCap(exchange, price);
  let nonce = isPooled ? await pool.take(deadline.signal) : undefined;
  try {
    const statement = price === undefined ? undefined : spendStatement(price);
    let response = await exchange.sendWith(pool, nonce, preferenceHeaders(exchange), statement);
    while (response.status === 402) {
      const body = await readObject(response);
      const free = exchange.maySign ? freeChallenge(body) : undefined;
      if (free) return await exchange.answer(connection.pool('free'), free);
      const next = await retryWithCredit(exchange, body, pool, nonce);
      nonce = undefined;
      const purchase = settings.credit && purchases.get(pool);
      if (next) response = next;
      else if (!settings.credit) return await payFor(exchange, response, body);
      else if (!purchase) return await sharePurchase(payFor(exchange, response, body), pool);
      else {
        await deadline.race(purchase);
        response = await exchange.send(preferenceHeaders(exchange));
      }
    }
    const charged = creditIn(response)?.chargedMicros;
    // The next signature is checked against this answer's price.
    if (charged !== undefined && outgoing.name !== undefined) connection.prices.set(outgoing.name, charged);
    return response;
  } finally {
    if (isPooled) pool.end();
  }
}

/** Returns the challenge of a 402 that asks for a signature and no payment. A path that is not in the table may be free. */
const freeChallenge = (body: Body402): SignInChallenge | undefined =>
  requirementsIn(body).length === 0 ? challengeIn(body) : undefined;

/** Returns the answer of a paid route, with any status, paid from credit or with a payment. */
export async function paidAnswer(exchange: Exchange): Promise<Response> {
  const { connection, outgoing, settings } = exchange;
  const hasCredit = settings.credit !== false && outgoing.buys === undefined && connection.sellsCredit !== false;
  if (hasCredit) return fromCredit(exchange, connection.pool(outgoing.cluster ?? ''));
  const response = await exchange.send({});
  if (response.status !== 402) return response;
  const body = await readObject(response);
  const free = freeChallenge(body);
  return free ? exchange.answer(connection.pool('free'), free) : payFor(exchange, response, body);
}
