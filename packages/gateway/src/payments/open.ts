import { type Cluster, NETWORKS, type Pricing, priceMicros, RATES, type Route } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import type { PaidConfig } from '../config/paid.ts';
import type { Describe } from '../describe/discovery.ts';
import type { OriginOf } from '../gates/challenge.ts';
import type { Crypto } from '../gates/crypto.ts';
import type { Readings } from '../metrics/readings.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import { Chain } from './facilitator/chain.ts';
import type { Facilitator } from './facilitator/facilitator.ts';
import { feePayerReader } from './facilitator/fee-payer.ts';
import { InProcessFacilitator } from './facilitator/local.ts';
import { RemoteFacilitator } from './facilitator/remote.ts';
import { type CreditSale, ExactGate, type ExactParts } from './gate.ts';
import { type Chains, CLUSTERS, openPayees, type Payees } from './payees.ts';
import type { Payments } from './payments.ts';
import { Queues } from './queue.ts';
import { Memos } from './read/memo.ts';
import { Reconciler } from './reconcile.ts';
import { PriorSettlements } from './verification.ts';
import { VerificationLimits } from './verification-limits.ts';

/** What the exact setup is opened with. */
export interface ExactSetupParts {
  readonly config: Config;
  readonly paid: PaidConfig;
  readonly crypto: Crypto;
  readonly secrets: readonly string[];
  readonly payments: Payments;
  readonly originOf: OriginOf;
  /** Nothing where no receipts are signed. */
  readonly receipts: ReceiptIssuer | undefined;
  readonly randomId: () => string;
  readonly notice: (message: string) => void;
  readonly onFailure: (error: unknown) => void;
  /** Told at each step of a purchase. */
  readonly onStep?: (step: string) => void;
  /** Told how each settlement has ended. */
  readonly onSettlement?: (outcome: string) => void;
}

/** The payment gate, open for business. */
export interface ExactSetup {
  /** The gate of a route, whose challenges describe it so; it sells credit as well where it is told of any. */
  gate(route: Route, describe: Describe, credit?: CreditSale): ExactGate;
  /** The clusters that something can be sold on. */
  readonly clusters: ReadonlySet<string>;
  priceOf(route: Route): number;
  feePayers: Readings['feePayers'];
  sales: Readings['sales'];
  close(): Promise<void>;
}

/** The chains, over connections that are for settling and looking, and over others for verifying. */
interface ChainLines {
  readonly chains: Chains;
  readonly verifyingChains: Chains;
}

async function openFacilitator(parts: ExactSetupParts, lines: ChainLines): Promise<FacilitatorAtWork> {
  const { paid, notice } = parts;
  const { facilitator, feeBudgetPerHour } = paid;
  if (facilitator.kind === 'remote') {
    const remote = new RemoteFacilitator({ ...facilitator, crypto: parts.crypto });
    await remote.refresh();
    return { facilitator: remote, close: () => remote.close() };
  }
  const { keypair } = facilitator;
  const inProcess = await InProcessFacilitator.create({ keypair, ...lines, feeBudgetPerHour, notice });
  return { facilitator: inProcess, close: async () => inProcess.close() };
}

interface FacilitatorAtWork {
  readonly facilitator: Facilitator;
  close(): Promise<void>;
}

function openChains({ paid, notice }: ExactSetupParts): ChainLines {
  const [chains, verifyingChains] = [new Map<string, Chain>(), new Map<string, Chain>()];
  for (const cluster of CLUSTERS) {
    const url = paid.solanaRpcUrls[cluster];
    if (url === undefined) notice(missingRpc(cluster, paid.facilitator.kind));
    else for (const each of [chains, verifyingChains]) each.set(NETWORKS[cluster], new Chain(url));
  }
  return { chains, verifyingChains };
}

/** Opens the payment gate: who settles, where the chain is read, what is advertised. */
export async function openExact(parts: ExactSetupParts): Promise<ExactSetup> {
  const lines = openChains(parts);
  const all = [...lines.chains.values(), ...lines.verifyingChains.values()];
  const closeChains = () => Promise.all(all.map((chain) => chain.close()));
  try {
    return await assemble(parts, lines, closeChains);
  } catch (error) {
    await closeChains();
    throw error;
  }
}

type Close = () => Promise<unknown>;

async function assemble(parts: ExactSetupParts, lines: ChainLines, closeChains: Close): Promise<ExactSetup> {
  const { chains, verifyingChains } = lines;
  const { paid, crypto, payments, onFailure, onStep, onSettlement, originOf, randomId } = parts;
  const { facilitator, close } = await openFacilitator(parts, lines);
  const payees = await openPayees(paid, facilitator, chains).catch(async (error) => {
    await close();
    throw error;
  });
  const outcomes = onSettlement && { onSettlement };
  const reconciler = new Reconciler({ payments, facilitator, chains, crypto, ...outcomes });
  const pricing = { rates: RATES, surchargeMicros: paid.surchargeMicros, own: paid.prices };
  const settlements = new Queues();
  const observers = { onFailure, ...(onStep && { onStep }), ...outcomes };
  const memos = paid.useMemos ? new Memos(crypto, parts.secrets) : undefined;
  const prior = new PriorSettlements({ payments, facilitator, reconciler, chains: verifyingChains });
  const limits = new VerificationLimits();
  const dependencies = { payments, facilitator, verifyingChains, reconciler, prior, limits, settlements, ...observers };
  const gateParts = { crypto, memos, originOf, dependencies, receipts: parts.receipts, randomId };
  reconciler.sweep();
  return {
    gate(route, describe, credit) {
      const offer = offerOf(route, payees, pricing);
      return new ExactGate({ ...gateParts, describe, offer, ...(credit && { credit }) });
    },
    clusters: new Set(payees.keys()),
    priceOf: (route) => priceMicros(route, pricing),
    feePayers: paid.facilitator.kind === 'in-process' ? feePayerReader(facilitator, chains) : async () => [],
    sales: () =>
      Array.from(payees, ([cluster, { network }]) => ({
        cluster,
        isOpen: facilitator.whyClosed(network) === undefined,
      })),
    async close() {
      await settlements.idle();
      reconciler.close();
      await close();
      await closeChains();
    },
  };
}

/** What a route is sold for. */
function offerOf(route: Route, payees: Payees, pricing: Pricing): ExactParts['offer'] {
  const payee = payees.get(route.cluster ?? '');
  if (!payee) throw new Error(`nothing is sold on the cluster of ${route.id}`);
  // Where only credit is sold, there is no price of a call.
  return { ...payee, amount: route.credit === 'sold' ? '' : String(priceMicros(route, pricing)) };
}

function missingRpc(cluster: Cluster, kind: PaidConfig['facilitator']['kind']): string {
  const name = `SOLANA_${cluster.toUpperCase()}_RPC_URL`;
  return kind === 'in-process'
    ? `${name} is not set: the paid routes of ${cluster} are off`
    : `${name} is not set: the chain is not checked, and an unknown settlement on ${cluster} stays unknown`;
}
