import { type Cluster, NETWORKS, type Route } from '@asset-gateway/protocol';
import type { CreditConfig } from '../config/credit.ts';
import type { PaidConfig } from '../config/paid.ts';
import { CREDIT, type NewDebit } from '../credit/account.ts';
import { createCover } from '../credit/covering.ts';
import { ChargedAnswers, type DebitParts } from '../credit/debiting.ts';
import { CreditGate, type CreditGateParts, spendingExtensions } from '../credit/gate.ts';
import { accountName, Turns } from '../credit/turns.ts';
import { balanceUpstream, purchaseUpstream, type SoldCluster, spendNothing } from '../credit/upstreams.ts';
import type { Describe } from '../describe/discovery.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Gate } from '../gates/gate.ts';
import type { SiwxParts } from '../gates/siwx/gate.ts';
import { Nonces } from '../gates/siwx/nonce.ts';
import type { SignInParts } from '../gates/siwx/sign-in.ts';
import type { ExactSetup } from '../payments/open.ts';
import { requestHashOf } from '../payments/read/memo.ts';
import { type ResponseContext, responseContextOf, settledResponse } from '../payments/responses.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import type { Money } from './money.ts';

/** What credit is opened with. */
export interface CreditParts {
  readonly config: CreditConfig;
  readonly money: Money;
  readonly paid: Pick<PaidConfig, 'upstreamTimeoutMs'>;
  readonly exact: ExactSetup;
  readonly signIn: Omit<SiwxParts, 'allowance' | 'describe'>;
  readonly secrets: readonly string[];
  /** Nothing where no receipts are signed. */
  readonly receipts: ReceiptIssuer | undefined;
  readonly randomId: () => string;
  readonly onFailure: (error: unknown) => void;
  readonly onStep?: ((step: string) => void) | undefined;
}

/** What wallets pay ahead, bound to the routes that take it. */
export interface Credit {
  /** The gate of a paid route, which takes credit as well; or of one that sells nothing else. */
  gate(route: Route, describe: Describe): Gate;
  /** Who answers a row of the credit surface. */
  serving(route: Route): Pick<Endpoint, 'spending' | 'upstream'>;
}

/** x402's response to a payment that was not needed: nothing was sent, and nothing moved. */
function coveredResponse(debit: NewDebit, context: ResponseContext): Record<string, string> {
  const { network, wallet: payer, resourceUrl, capturedAtMs: paidAtMs } = debit;
  return settledResponse({ transaction: '', network, payer, amount: '0', resourceUrl, paidAtMs }, context);
}

const clusterOf = ({ id, cluster }: Route): Cluster => {
  if (!cluster) throw new Error(`${id} is sold on no cluster`);
  return cluster;
};

/** How long what comes before and after the upstream may take. */
const BEFORE_AND_AFTER_MS = 15_000;

/** How often the first waiting call of a wallet looks again: for what lapses by time, and for what other nodes change. */
const LOOK_AGAIN_MS = { alone: 1_000, amongNodes: 200 } as const;

/** The turns of accounts, which end with what this node writes. */
function openTurns({ database, watch }: Money): Turns {
  const turns = new Turns(database.dialect.name === 'sqlite' ? LOOK_AGAIN_MS.alone : LOOK_AGAIN_MS.amongNodes);
  watch((holder) => turns.wake(accountName(holder)));
  return turns;
}

/** What the gates of all routes share. */
function sharedParts(parts: CreditParts) {
  const { config, money, signIn, secrets, randomId, onFailure, onStep } = parts;
  const { accounts } = money;
  const { upstreamTimeoutMs } = parts.paid;
  const { crypto, store, originOf } = signIn;
  const leaseMs = Math.max(CREDIT.leaseMs, upstreamTimeoutMs + BEFORE_AND_AFTER_MS);
  const debits: DebitParts = { accounts, onFailure, leaseMs, ...(onStep && { onStep }) };
  // Its nonces are keyed by an epoch of their own, and each instance keeps the keys of one.
  const nonces = new Nonces(crypto, secrets);
  // A nonce must not be good for longer than its debit is remembered, so the same clock decides.
  const spending: SignInParts = { crypto, nonces, now: () => accounts.now(), wallNow: () => store.wallNow() };
  const answers = new ChargedAnswers(accounts);
  const { limitMicros } = config;
  const cover = {
    ...debits,
    answers,
    turns: openTurns(money),
    limitMicros,
    randomId,
    responseOf: coveredResponse,
  };
  return { debits, answers, cover, signIn: spending, originOf };
}

const soldOn = (cluster: string): SoldCluster => ({
  cluster: cluster as Cluster,
  network: NETWORKS[cluster as Cluster],
});

/** An answer that a signature has paid for carries x402's response only with a receipt. */
const answeringWith =
  (receipts: CreditParts['receipts']): CreditGateParts['answering'] =>
  (call, origin) => {
    if (!receipts) return { headersOf: () => ({}) };
    const context = responseContextOf(call, origin, receipts);
    const { resourceUrl } = context;
    return { headersOf: (debit) => coveredResponse(debit, context), ...(resourceUrl !== undefined && { resourceUrl }) };
  };

/** Opens credit. */
export function openCredit(parts: CreditParts): Credit {
  const { config, money, exact, receipts, randomId } = parts;
  const { accounts } = money;
  const { limitMicros } = config;
  const { debits, answers, cover, signIn, originOf } = sharedParts(parts);

  const sellingGate = (route: Route, describe: Describe): Gate =>
    exact.gate(route, describe, {
      bundles: config.bundlesMicros,
      creditMicros: (amount) => amount,
      cover: createCover({ ...cover, priceMicros: undefined }),
      limits: { limitMicros, priceMicros: undefined },
      extensions: () => ({}),
    });

  const spendingGate = (route: Route, describe: Describe): Gate => {
    const priceMicros = exact.priceOf(route);
    const spending = { signIn, originOf, network: NETWORKS[clusterOf(route)], priceMicros };
    const payments = exact.gate(route, describe, {
      bundles: config.bundleMicros > priceMicros ? [config.bundleMicros] : [],
      creditMicros: (amount) => Math.max(0, amount - priceMicros),
      cover: createCover({ ...cover, priceMicros }),
      limits: { limitMicros, priceMicros },
      extensions: (call) => spendingExtensions(spending, call),
    });
    const answering = answeringWith(receipts);
    return new CreditGate({ ...debits, ...spending, answers, answering, randomId, requestHashOf }, payments);
  };

  return {
    gate: (route, describe) => (route.credit === 'sold' ? sellingGate : spendingGate)(route, describe),
    serving(route) {
      const isSold = route.access === 'exact';
      const upstream = isSold
        ? purchaseUpstream(accounts, soldOn(clusterOf(route)))
        : balanceUpstream(accounts, [...exact.clusters].map(soldOn));
      return { upstream, spending: spendNothing };
    },
  };
}
