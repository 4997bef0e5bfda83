import { type Cluster, NETWORKS, priceMicros, RATES, type Route } from '@asset-gateway/protocol';
import type { PaidConfig } from '../config/paid.ts';
import type { Describe } from '../describe/discovery.ts';
import type { Readings } from '../metrics/readings.ts';
import { type PaymentDependencies, Queues } from './dependencies.ts';
import { Chain } from './facilitator/chain.ts';
import type { Facilitator } from './facilitator/facilitator.ts';
import { feePayerReader } from './facilitator/fee-payer.ts';
import { InProcessFacilitator } from './facilitator/local.ts';
import { RemoteFacilitator } from './facilitator/remote.ts';
import { type CreditSale, ExactGate, type ExactRoute } from './gate.ts';
import { type Chains, CLUSTERS, openPayees } from './payees.ts';
import { Memos } from './read/memo.ts';
import { Reconciler } from './reconcile.ts';
import { VerificationLimits } from './verification-limits.ts';

/** What selling needs from the rest of the gateway. */
export interface ExactOptions
  extends Pick<
    PaymentDependencies,
    'crypto' | 'payments' | 'originOf' | 'receipts' | 'randomId' | 'onFailure' | 'onStep' | 'onSettlement'
  > {
  readonly paid: PaidConfig;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly notice: (message: string) => void;
}

/** Selling by payment, open for business. */
export interface ExactSetup {
  /** The gate of a route, whose challenges contain this description. `credit`: undefined if credit is off. */
  gate(route: Route, describe: Describe, credit?: CreditSale): ExactGate;
  /** The clusters whose routes can be sold. */
  readonly clusters: ReadonlySet<string>;
  priceOf(route: Route): number;
  feePayers: Readings['feePayers'];
  sales: Readings['sales'];
  close(): Promise<void>;
}

/** Chains on separate connections, so that verifying never delays a settlement. */
interface AllChains {
  readonly chains: Chains;
  readonly verifyingChains: Chains;
}

interface OpenFacilitator {
  readonly facilitator: Facilitator;
  close(): void | Promise<void>;
}

async function openFacilitator(paid: PaidConfig, all: AllChains, options: ExactOptions): Promise<OpenFacilitator> {
  const { facilitator: config, feeBudgetPerHour } = paid;
  if (config.kind === 'remote') {
    const remote = new RemoteFacilitator({ ...config, crypto: options.crypto });
    await remote.refresh();
    return { facilitator: remote, close: () => remote.close() };
  }
  const { keypair } = config;
  const local = await InProcessFacilitator.create({ keypair, ...all, feeBudgetPerHour, notice: options.notice });
  return { facilitator: local, close: () => local.close() };
}

function openChains({ paid, notice }: ExactOptions): AllChains {
  const [chains, verifyingChains] = [new Map<string, Chain>(), new Map<string, Chain>()];
  for (const cluster of CLUSTERS) {
    const url = paid.solanaRpcUrls[cluster];
    if (url === undefined) notice(missingRpc(cluster, paid.facilitator.kind));
    else for (const each of [chains, verifyingChains]) each.set(NETWORKS[cluster], new Chain(url));
  }
  return { chains, verifyingChains };
}

/** Opens the facilitator and the chains, and checks that payments can arrive. */
export async function openExact(options: ExactOptions): Promise<ExactSetup> {
  const all = openChains(options);
  const connections = [...all.chains.values(), ...all.verifyingChains.values()];
  const closeChains = () => Promise.all(connections.map((chain) => chain.close()));
  try {
    return await assemble(options, all, closeChains);
  } catch (error) {
    await closeChains();
    throw error;
  }
}

async function assemble(
  options: ExactOptions,
  all: AllChains,
  closeChains: () => Promise<unknown>,
): Promise<ExactSetup> {
  const { paid, crypto, secrets, payments, onSettlement } = options;
  const { chains } = all;
  const { facilitator, close } = await openFacilitator(paid, all, options);
  const payees = await openPayees(paid, facilitator, chains).catch(async (error) => {
    await close();
    throw error;
  });
  const reconciler = new Reconciler({ payments, facilitator, chains, crypto, onSettlement });
  const settlements = new Queues();
  const limits = new VerificationLimits();
  const memos = paid.useMemos ? new Memos(crypto, secrets) : undefined;
  const dependencies = { ...options, ...all, facilitator, reconciler, settlements, limits, memos };
  const pricing = { rates: RATES, surchargeMicros: paid.surchargeMicros, own: paid.prices };
  const offerOf = (route: Route): ExactRoute['offer'] => {
    const payee = payees.get(route.cluster ?? '');
    if (!payee) throw new Error(`nothing is sold on the cluster of ${route.id}`);
    // A route that sells only credit has no price of a call.
    return { ...payee, amount: route.credit === 'sold' ? '' : String(priceMicros(route, pricing)) };
  };
  const isOpen = (network: string): boolean => facilitator.whyClosed(network) === undefined;
  reconciler.sweep();
  return {
    gate: (route, describe, credit) => new ExactGate(dependencies, { describe, offer: offerOf(route), credit }),
    clusters: new Set(payees.keys()),
    priceOf: (route) => priceMicros(route, pricing),
    feePayers: paid.facilitator.kind === 'in-process' ? feePayerReader(facilitator, chains) : async () => [],
    sales: () => Array.from(payees, ([cluster, { network }]) => ({ cluster, isOpen: isOpen(network) })),
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
