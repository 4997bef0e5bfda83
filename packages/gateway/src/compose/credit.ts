import { type Cluster, NETWORKS, type Route } from '@asset-gateway/protocol';
import type { Gate } from '../call.ts';
import { longestMs } from '../config/apis.ts';
import type { CreditConfig } from '../config/paid.ts';
import { ChargedAnswers } from '../credit/debiting.ts';
import { balanceAnswer, purchaseAnswer } from '../credit/own-answers.ts';
import type { Describe } from '../describe/discovery.ts';
import { CreditGate } from '../gates/credit.ts';
import { ExactGate } from '../gates/exact.ts';
import { Nonces } from '../gates/siwx/nonce.ts';
import type { ExactSetup } from '../payments/open.ts';
import type { CreditSale } from '../payments/payer.ts';
import { AccountQueue } from '../payments/queue.ts';
import { MOST_BUNDLED_MICROS } from '../payments/read/requirement.ts';
import { holdMsFor, TIMES } from '../times.ts';
import type { OwnAnswer } from '../upstreams/upstream.ts';
import type { Foundation } from './dependencies.ts';
import type { Money } from './money.ts';

/** What the gateway needs to sell for credit. */
export interface CreditSetup {
  /** Returns the gate of a paid route that also accepts credit, or of a route that sells credit. */
  gate(route: Route, describe: Describe): Gate;
  /** Returns how a route of the credit surface is answered. */
  ownAnswerOf(route: Route): OwnAnswer;
}

const clusterOf = ({ id, cluster }: Route): Cluster => {
  if (!cluster) throw new Error(`${id} is sold on no cluster`);
  return cluster;
};

/** Returns a queue of calls that wait for their account. Each write of this node to the account wakes them. */
function openQueue({ database, events }: Money): AccountQueue {
  const queue = new AccountQueue(TIMES.waitEachMs[database.dialect.name === 'sqlite' ? 'alone' : 'amongNodes']);
  events.on('written', (written) => queue.wake(written));
  return queue;
}

/** Opens credit. */
export function openCredit(credit: CreditConfig, money: Money, exact: ExactSetup, foundation: Foundation): CreditSetup {
  const { config, crypto, secrets, store, onStep } = foundation;
  const { accounts } = money;
  const { limitMicros } = credit;
  const holdMs = holdMsFor(longestMs(config).paid);
  const answers = new ChargedAnswers(accounts);
  const debiting = { accounts, answers, holdMs, onStep };
  const queue = openQueue(money);
  // An instance caches the keys of one epoch. Credit has its own epoch, so it has its own instance.
  const nonces = new Nonces(crypto, secrets);
  // The clock that expires debits must also judge nonces, so that no nonce outlives its debit.
  const clocks = { now: () => accounts.now(), wallNow: () => store.wallNow() };
  const signIn = { crypto, nonces, clocks };
  const paidGate = (route: Route, describe: Describe, sale: CreditSale) =>
    new ExactGate(exact.dependencies, { describe, offer: exact.offerOf(route), credit: sale });
  return {
    gate(route, describe) {
      const sale = { debiting, queue, limitMicros };
      if (route.credit === 'sold')
        return paidGate(route, describe, { ...sale, priceMicros: undefined, bundles: credit.bundlesMicros });
      const priceMicros = exact.listPriceOf(route);
      const isBundled = exact.priceOf(route) < credit.bundleMicros && priceMicros < MOST_BUNDLED_MICROS;
      const bundles = isBundled ? [credit.bundleMicros] : [];
      const payments = paidGate(route, describe, { ...sale, priceMicros, bundles });
      const network = NETWORKS[clusterOf(route)];
      return new CreditGate({ debiting, calls: foundation, signIn, network, priceMicros }, payments);
    },
    ownAnswerOf: (route) =>
      route.access === 'exact'
        ? purchaseAnswer(accounts, clusterOf(route))
        : balanceAnswer(accounts, [...exact.clusters]),
  };
}
