import { type Cluster, NETWORKS, type Route } from '@asset-gateway/protocol';
import type { Call } from '../call.ts';
import type { CreditConfig } from '../config/credit.ts';
import type { PaidConfig } from '../config/paid.ts';
import { CREDIT, type NewDebit } from '../credit/account.ts';
import { createCover } from '../credit/covering.ts';
import { ChargedAnswers } from '../credit/debiting.ts';
import { CreditGate, type SignedResponse, spendingExtensions } from '../credit/gate.ts';
import { AccountQueue, accountName } from '../credit/queue.ts';
import { balanceUpstream, purchaseUpstream, type SoldCluster, spendNothing } from '../credit/upstreams.ts';
import type { Describe } from '../describe/discovery.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Gate } from '../gates/gate.ts';
import { Nonces } from '../gates/siwx/nonce.ts';
import type { SignInDependencies } from '../gates/siwx/sign-in.ts';
import type { ExactSetup } from '../payments/open.ts';
import { requestHashOf } from '../payments/read/memo.ts';
import { type ResponseContext, responseContextOf, settledResponse } from '../payments/responses.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import type { Foundation } from './dependencies.ts';
import type { Money } from './money.ts';

/** What credit needs. */
interface CreditDependencies extends Foundation {
  readonly credit: CreditConfig;
  readonly paid: PaidConfig;
  readonly money: Money;
  readonly exact: ExactSetup;
}

/** Credit, bound to the routes that take or sell it. */
export interface Credit {
  /** The gate of a paid route that takes credit too, or of a route that sells only credit. */
  gate(route: Route, describe: Describe): Gate;
  /** What serves a route of the credit surface. */
  serving(route: Route): Pick<Endpoint, 'spending' | 'upstream'>;
}

/** x402's response to a covered payment: nothing was sent, and nothing moved. */
function coveredResponse(debit: NewDebit, context: ResponseContext): Record<string, string> {
  const { network, wallet: payer, resourceUrl, capturedAtMs: paidAtMs } = debit;
  return settledResponse({ transaction: '', network, payer, amount: '0', resourceUrl, paidAtMs }, context);
}

const clusterOf = ({ id, cluster }: Route): Cluster => {
  if (!cluster) throw new Error(`${id} is sold on no cluster`);
  return cluster;
};

/** How long a request may take before and after its upstream call. */
const BEFORE_AND_AFTER_MS = 15_000;

/** How often the first waiting call of a wallet tries again, because other nodes and time-outs change its account too. */
const RETRY_MS = { alone: 1_000, amongNodes: 200 } as const;

/** A queue whose calls wake when this node writes to their account. */
function openQueue({ database, watch }: Money): AccountQueue {
  const queue = new AccountQueue(database.dialect.name === 'sqlite' ? RETRY_MS.alone : RETRY_MS.amongNodes);
  watch((holder) => queue.wake(accountName(holder)));
  return queue;
}

const soldOn = (cluster: string): SoldCluster => ({
  cluster: cluster as Cluster,
  network: NETWORKS[cluster as Cluster],
});

/** Answers to a signature carry x402's response only with a receipt. */
const respondWith =
  (receipts: ReceiptIssuer | undefined) =>
  (call: Call, origin: string): SignedResponse => {
    if (!receipts) return { headersOf: () => ({}) };
    const context = responseContextOf(call, origin, receipts);
    const { resourceUrl } = context;
    return { headersOf: (debit) => coveredResponse(debit, context), ...(resourceUrl !== undefined && { resourceUrl }) };
  };

/** What the gates of all routes share. */
function openShared(dependencies: CreditDependencies) {
  const { paid, money, crypto, secrets, store, randomId, onFailure, onStep } = dependencies;
  const { accounts } = money;
  const answers = new ChargedAnswers(accounts);
  const leaseMs = Math.max(CREDIT.leaseMs, paid.upstreamTimeoutMs + BEFORE_AND_AFTER_MS);
  // Each instance keeps the keys of one epoch, and credit has an epoch of its own.
  const nonces = new Nonces(crypto, secrets);
  // The clock that forgets debits must judge nonces too, so that no nonce outlives its debit.
  const signIn: SignInDependencies = {
    crypto,
    nonces,
    clocks: { now: () => accounts.now(), wallNow: () => store.wallNow() },
  };
  return { signIn, debits: { accounts, answers, leaseMs, randomId, onFailure, onStep } };
}

/** Opens credit. */
export function openCredit(dependencies: CreditDependencies): Credit {
  const { credit, money, exact, originOf, receipts } = dependencies;
  const { accounts } = money;
  const { limitMicros } = credit;
  const { signIn, debits } = openShared(dependencies);
  const cover = { ...debits, queue: openQueue(money), limitMicros, responseOf: coveredResponse };
  const responseTo = respondWith(receipts);

  const sellingGate = (route: Route, describe: Describe): Gate =>
    exact.gate(route, describe, {
      bundles: credit.bundlesMicros,
      creditMicros: (amount) => amount,
      cover: createCover({ ...cover, priceMicros: undefined }),
      limits: { limitMicros, priceMicros: undefined },
      extensions: () => ({}),
    });

  const spendingGate = (route: Route, describe: Describe): Gate => {
    const priceMicros = exact.priceOf(route);
    const terms = { signIn, originOf, network: NETWORKS[clusterOf(route)], priceMicros };
    const payments = exact.gate(route, describe, {
      bundles: credit.bundleMicros > priceMicros ? [credit.bundleMicros] : [],
      creditMicros: (amount) => Math.max(0, amount - priceMicros),
      cover: createCover({ ...cover, priceMicros }),
      limits: { limitMicros, priceMicros },
      extensions: (call) => spendingExtensions(terms, call),
    });
    return new CreditGate({ ...debits, ...terms, responseTo, requestHashOf }, payments);
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
