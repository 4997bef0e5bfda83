import { type Cluster, dollars, NETWORKS, priceMicros, RATES, type Route } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import type { PaidConfig } from '../config/paid.ts';
import type { Describe } from '../describe/discovery.ts';
import type { Crypto } from '../gates/crypto.ts';
import { Chain } from '../gates/exact/facilitators/chain.ts';
import type { Facilitator } from '../gates/exact/facilitators/facilitator.ts';
import { InProcessFacilitator } from '../gates/exact/facilitators/in-process.ts';
import { RemoteFacilitator } from '../gates/exact/facilitators/remote.ts';
import { ExactGate } from '../gates/exact/gate.ts';
import { Memos } from '../gates/exact/memo.ts';
import { Queues } from '../gates/exact/queue.ts';
import { Reconciler } from '../gates/exact/reconcile.ts';
import type { OriginOf } from '../gates/origin.ts';
import type { Readings } from '../metrics/readings.ts';
import type { FeeStore } from '../stores/fees.ts';
import type { PaymentStore } from '../stores/payments.ts';
import { feePayerReader } from './fee-payers.ts';
import { type Chains, CLUSTERS, openTills, USUAL_FEE_LAMPORTS } from './tills.ts';

/** What a shop is opened with. */
export interface ShopParts {
  readonly config: Config;
  readonly paid: PaidConfig;
  readonly crypto: Crypto;
  readonly secrets: readonly string[];
  readonly payments: PaymentStore;
  readonly fees: FeeStore;
  readonly originOf: OriginOf;
  readonly randomId: () => string;
  readonly notice: (message: string) => void;
  readonly onFailure: (error: unknown) => void;
  /** Told at each step of a purchase. */
  readonly onStep?: (step: string) => void;
  /** Told how each settlement has ended. */
  readonly onSettlement?: (outcome: string) => void;
}

/** The payment gate, open for business. */
export interface Shop {
  /** The gate, whose challenges describe the routes so. */
  gate(describe: Describe): ExactGate;
  /** The clusters that something can be sold on. */
  readonly clusters: ReadonlySet<string>;
  priceOf(route: Route): number;
  feePayers: Readings['feePayers'];
  close(): Promise<void>;
}

async function openFacilitator(paid: PaidConfig, parts: ShopParts, chains: Chains): Promise<FacilitatorAtWork> {
  const { facilitator } = paid;
  if (facilitator.kind === 'remote') {
    const remote = new RemoteFacilitator({ ...facilitator, crypto: parts.crypto });
    await remote.refresh();
    return { facilitator: remote, close: () => remote.close() };
  }
  const { keypair } = facilitator;
  const feeBudgetPerHour = paid.feeBudgetPerHour;
  const inProcess = await InProcessFacilitator.create({ keypair, chains, feeBudgetPerHour, fees: parts.fees });
  return { facilitator: inProcess, close: async () => undefined };
}

interface FacilitatorAtWork {
  readonly facilitator: Facilitator;
  close(): Promise<void>;
}

function openChains({ paid, notice }: ShopParts): Map<string, Chain> {
  const chains = new Map<string, Chain>();
  for (const cluster of CLUSTERS) {
    const url = paid.solanaRpcUrls[cluster];
    if (url !== undefined) chains.set(NETWORKS[cluster], new Chain(url));
    else notice(missingRpc(cluster, paid.facilitator.kind));
  }
  return chains;
}

/** Opens the payment gate: who settles, where the chain is read, what is advertised. */
export async function openShop(parts: ShopParts): Promise<Shop> {
  const chains = openChains(parts);
  const closeChains = () => Promise.all([...chains.values()].map((chain) => chain.close()));
  try {
    return await furnish(parts, chains, closeChains);
  } catch (error) {
    await closeChains();
    throw error;
  }
}

async function furnish(parts: ShopParts, chains: Chains, closeChains: () => Promise<unknown>): Promise<Shop> {
  const { paid, crypto, payments, onFailure, onStep, onSettlement, originOf, randomId } = parts;
  const { facilitator, close } = await openFacilitator(paid, parts, chains);
  const shops = await openTills(paid, facilitator, chains).catch(async (error) => {
    await close();
    throw error;
  });
  const outcomes = onSettlement && { onSettlement };
  const reconciler = new Reconciler({ payments, facilitator, chains, crypto, ...outcomes });
  const pricing = { rates: RATES, surchargeMicros: paid.surchargeMicros };
  const settlements = new Queues();
  const observers = { onFailure, ...(onStep && { onStep }), ...outcomes };
  const counter = { payments, facilitator, chains, reconciler, settlements, ...observers };
  const memos = new Memos(crypto, parts.secrets);
  const gateParts = { crypto, memos, useMemos: paid.useMemos, originOf, pricing, shops, counter, randomId };
  reconciler.sweep();
  return {
    gate: (describe) => new ExactGate({ ...gateParts, describe }),
    clusters: new Set(shops.keys()),
    priceOf: (route) => priceMicros(route, pricing),
    feePayers: paid.facilitator.kind === 'in-process' ? feePayerReader(facilitator, chains) : async () => [],
    async close() {
      await settlements.idle();
      reconciler.close();
      await close();
      await closeChains();
    },
  };
}

function missingRpc(cluster: Cluster, kind: PaidConfig['facilitator']['kind']): string {
  const name = `SOLANA_${cluster.toUpperCase()}_RPC_URL`;
  return kind === 'in-process'
    ? `${name} is not set: the paid routes of ${cluster} are off`
    : `${name} is not set: the chain is not checked, and an unknown settlement on ${cluster} stays unknown`;
}

/** What a surface sells its cheapest answer for, against what settling costs. */
export function priceNotices(routes: readonly Route[], shop: Shop): string[] {
  const paid = routes.filter(({ access }) => access === 'exact');
  return [...new Set(paid.map(({ surface }) => surface))].map((surface) => {
    const prices = paid.filter((route) => route.surface === surface).map((route) => shop.priceOf(route));
    const cheapest = dollars(Math.min(...prices));
    return `${surface}: from $${cheapest} an answer; settling one costs the fee payer ${USUAL_FEE_LAMPORTS} lamports or more`;
  });
}
