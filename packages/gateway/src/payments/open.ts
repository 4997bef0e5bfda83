import {
  type Cluster,
  clusterOfNetwork,
  listMicros,
  NETWORKS,
  PROGRAMS,
  priceMicros,
  RATES,
  type Route,
  TOKEN_2022,
  USDC,
  USUAL_FEE_LAMPORTS,
} from '@asset-gateway/protocol';
import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/addresses';
import type { Background } from '../background.ts';
import { type CloseLater, openTogether } from '../closing.ts';
import type { FacilitatorConfig, PaidConfig } from '../config/paid.ts';
import { ConfigError } from '../config/settings.ts';
import type { Crypto } from '../crypto.ts';
import type { SpanNames, Tracing } from '../traces/tracing.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { Chain, type Chains } from './facilitator/chain.ts';
import type { Facilitator } from './facilitator/facilitator.ts';
import { InProcessFacilitator, type InProcessOptions } from './facilitator/local.ts';
import { RemoteFacilitator } from './facilitator/remote.ts';
import type { Payments } from './payments.ts';
import { Queues } from './queue.ts';
import { type CallDependencies, Memos, type Offer } from './read/requirement.ts';
import { Reconciler } from './reconcile.ts';
import { Verifier } from './verification.ts';

export const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];

const CHAIN_SPANS: SpanNames<Chain> = { simulate: 'simulate', send: 'send', status: 'confirm' };
const FACILITATOR_SPANS: SpanNames<Facilitator> = { verify: 'verify', settle: 'settle' };

const TOKEN_PROGRAMS = [PROGRAMS.token, TOKEN_2022];

/** Returns the address of a wallet's associated token account for a mint. */
export async function tokenAccountOf(wallet: string, mint: string): Promise<string> {
  const encoder = getAddressEncoder();
  const [account] = await getProgramDerivedAddress({
    programAddress: address(PROGRAMS.associatedToken),
    seeds: [wallet, PROGRAMS.token, mint].map((each) => encoder.encode(address(each))),
  });
  return account;
}

/** Returns the name of the variable that sets a cluster's RPC. */
const rpcVariable = (cluster: Cluster): string => `SOLANA_${cluster.toUpperCase()}_RPC_URL`;

/** Throws if an RPC reads the other cluster. Accepts a local chain, and an RPC that does not answer the question. */
async function assertCluster(chain: Chain, cluster: Cluster): Promise<void> {
  const network = await chain.network().catch(() => undefined);
  const other = CLUSTERS.find((each) => each !== cluster && NETWORKS[each] === network);
  if (other) throw new ConfigError([`${rpcVariable(cluster)} is an RPC of ${other}; set one of ${cluster}.`]);
}

/** Throws if payments could not arrive at the payee, or if the fee payer holds tokens, which an attacker could try to steal. */
async function assertReady(
  chain: Chain,
  cluster: Cluster,
  { payTo, destination }: UnpricedOffer,
  feePayer: string | undefined,
) {
  await assertCluster(chain, cluster);
  const faults: string[] = [];
  const check = (holds: boolean, fault: string) => holds || faults.push(`${fault} (${cluster}).`);
  const [wallet, account] = await Promise.all([chain.account(payTo), chain.account(destination)]);
  const isWallet = !TOKEN_PROGRAMS.some((program) => program === wallet?.owner);
  check(isWallet, 'PAY_TO_WALLET is a token account or a mint; set the wallet that owns the token account');
  // A transfer to a token account as if it were a wallet would be lost.
  const hasUsdcAccount = !isWallet || account?.owner === PROGRAMS.token;
  check(hasUsdcAccount, 'PAY_TO_WALLET has no USDC account; send it any amount of USDC, which opens one');
  if (feePayer !== undefined) {
    const { lamports = 0 } = (await chain.account(feePayer)) ?? {};
    check(lamports >= USUAL_FEE_LAMPORTS, 'FEE_PAYER_KEYPAIR holds no SOL to pay fees with; send it some');
    const counts = await Promise.all(TOKEN_PROGRAMS.map((program) => chain.tokenAccounts(feePayer, program)));
    const holdsTokens = counts.some((count) => count > 0);
    check(!holdsTokens, 'FEE_PAYER_KEYPAIR holds tokens; use a key that holds SOL only');
  }
  if (faults.length > 0) throw new ConfigError(faults);
}

/** An offer without its price and fee payer. */
type UnpricedOffer = Omit<Offer, 'amount' | 'feePayer'>;

/** Returns the offer of each cluster whose routes can be sold. Throws if payments could not arrive. */
async function openPayees(paid: PaidConfig, facilitator: Facilitator, chains: Chains) {
  const payees = new Map<Cluster, UnpricedOffer>();
  for (const cluster of CLUSTERS) {
    const network = NETWORKS[cluster];
    const asset = USDC[cluster];
    const chain = chains.get(network);
    const destination = await tokenAccountOf(paid.payTo, asset);
    const payee = { network, asset, payTo: paid.payTo, destination };
    const own = paid.facilitator.kind === 'in-process' ? facilitator.feePayer(network) : undefined;
    if (own === paid.payTo) throw new ConfigError(['PAY_TO_WALLET must not be the fee payer.']);
    if (chain)
      await assertReady(chain, cluster, payee, own).catch((error) => {
        if (error instanceof ConfigError) throw error;
        const remedy = 'check its host and key, or start later';
        throw new ConfigError([`${rpcVariable(cluster)} does not answer (${error.message}); ${remedy}.`]);
      });
    if (chain || paid.facilitator.kind === 'remote') payees.set(cluster, payee);
  }
  return payees;
}

/** Dependencies of selling. */
interface SellingServices
  extends CallDependencies,
    Pick<PaymentDependencies, 'crypto' | 'onFailure' | 'onStep' | 'onSettlement'> {
  /** The first secret signs memos and tickets. All secrets verify them. */
  readonly secrets: readonly string[];
  readonly notice: (message: string) => void;
  readonly tracing: Pick<Tracing, 'spanned'>;
}

async function openFacilitator(
  config: FacilitatorConfig,
  crypto: Crypto,
  options: Omit<InProcessOptions, 'keypair'>,
): Promise<Facilitator> {
  if (config.kind === 'in-process') return new InProcessFacilitator({ ...options, keypair: config.keypair });
  const remote = new RemoteFacilitator({ ...config, crypto, background: options.background });
  await remote.refresh();
  return remote;
}

/** Opens connections to the chains of a configuration. */
function openChains(
  { solanaRpcUrls }: PaidConfig,
  tracing: SellingServices['tracing'],
  closeLater: CloseLater,
): Chains {
  const opened = CLUSTERS.flatMap((cluster) => {
    const url = solanaRpcUrls[cluster];
    return url === undefined
      ? []
      : [[NETWORKS[cluster], tracing.spanned(closeLater(new Chain(url)), CHAIN_SPANS)] as const];
  });
  return new Map(opened);
}

/** The fee payer's balance on a cluster. `lamports`: undefined if the chain did not answer. */
export interface FeePayerBalance {
  readonly cluster: string;
  readonly lamports: number | undefined;
}

/** Returns a function that reads the fee payer's balance on each chain. */
export function feePayerReader(facilitator: Facilitator, chains: Chains, background: Background) {
  const read = async ([network, chain]: [string, Chain]): Promise<FeePayerBalance> => {
    const lamports = await background.run('fee_payers', async () => {
      const account = await chain.account(facilitator.feePayer(network) ?? '');
      return account?.lamports ?? 0;
    });
    return { cluster: clusterOfNetwork(network), lamports };
  };
  return () => Promise.all([...chains].map(read));
}

/** The opened payments of a gateway. */
export interface ExactSetup {
  readonly dependencies: PaymentDependencies;
  /** Returns the price and the payee of a route. */
  offerOf(route: Route): Omit<Offer, 'feePayer'>;
  /** The clusters whose routes can be sold. */
  readonly clusters: ReadonlySet<Cluster>;
  /** Returns the price of a call that has its own settlement, in millionths of a dollar. */
  priceOf(route: Route): number;
  /** Returns the price of a call that is paid from credit, in millionths of a dollar. */
  listPriceOf(route: Route): number;
  /** Reads the fee payer's balance on each cluster. The list is empty if the facilitator is remote. */
  feePayers(): Promise<readonly FeePayerBalance[]>;
  /** Returns for each cluster whether payments are accepted now. */
  sales(): readonly { readonly cluster: Cluster; readonly isSelling: boolean }[];
  close(): Promise<void>;
}

/** Opens the facilitator and the chains, and checks that payments can arrive. */
export const openExact = (paid: PaidConfig, payments: Payments, services: SellingServices): Promise<ExactSetup> =>
  openTogether((closeLater) => assemble(paid, payments, services, closeLater));

async function assemble(paid: PaidConfig, payments: Payments, services: SellingServices, closeLater: CloseLater) {
  const { crypto, secrets, notice, tracing, onFailure, onStep, onSettlement } = services;
  const { background } = payments;
  noticeMissing(paid, notice);
  const chains = openChains(paid, tracing, closeLater);
  // Verifications have connections of their own, so that they never delay a settlement.
  const verifyingChains = openChains(paid, tracing, closeLater);
  const { feeBudgetPerHour } = paid;
  const settling = { chains, verifyingChains, feeBudgetPerHour, notice, background };
  const opened = closeLater(await openFacilitator(paid.facilitator, crypto, settling));
  const facilitator = tracing.spanned(opened, FACILITATOR_SPANS);
  const payees = await openPayees(paid, facilitator, chains);
  const reconciler = closeLater(new Reconciler({ payments, facilitator, chains, crypto, onSettlement }));
  const verifier = new Verifier({ payments, facilitator, reconciler, chains: verifyingChains });
  const settlements = new Queues();
  closeLater({ close: () => settlements.idle() });
  const dependencies: PaymentDependencies = {
    ...{ payments, facilitator, reconciler, verifier, settlements, crypto, onFailure, onStep, onSettlement },
    memos: new Memos(crypto, secrets),
    calls: services,
  };
  const pricing = { rates: RATES, settlementFeeMicros: paid.settlementFeeMicros, own: paid.prices };
  const offerOf = (route: Route) => {
    const payee = route.cluster && payees.get(route.cluster);
    if (!payee) throw new Error(`nothing is sold on the cluster of ${route.id}`);
    // A route that sells only credit has no call to price.
    return { ...payee, amount: route.credit === 'sold' ? '' : String(priceMicros(route, pricing)) };
  };
  const isSelling = (network: string): boolean => facilitator.whyClosed?.(network) === undefined;
  void reconciler.sweep();
  const isInProcess = paid.facilitator.kind === 'in-process';
  return {
    dependencies,
    offerOf,
    clusters: new Set(payees.keys()),
    priceOf: (route: Route) => priceMicros(route, pricing),
    listPriceOf: (route: Route) => listMicros(route, pricing),
    feePayers: isInProcess ? feePayerReader(facilitator, chains, background) : async () => [],
    sales: () => Array.from(payees, ([cluster, { network }]) => ({ cluster, isSelling: isSelling(network) })),
  };
}

/** Tells the operator at the start which clusters lack an RPC, and what follows from that. */
function noticeMissing({ offered, solanaRpcUrls, facilitator }: PaidConfig, notice: (message: string) => void): void {
  for (const cluster of offered) {
    if (solanaRpcUrls[cluster] !== undefined) continue;
    const effect =
      facilitator.kind === 'in-process'
        ? `the paid routes of ${cluster} are off`
        : `the gateway does not check the chain; if a settlement's outcome on ${cluster} is unknown, it asks the facilitator for ten minutes, and after that you must look it up`;
    notice(`${rpcVariable(cluster)} is not set: ${effect}`);
  }
}
