import {
  type Cluster,
  NETWORKS,
  priceMicros,
  RATES,
  type Route,
  USDC,
  USUAL_FEE_LAMPORTS,
} from '@asset-gateway/protocol';
import type { PaidConfig } from '../config/paid.ts';
import { ConfigError } from '../config/settings.ts';
import type { Describe } from '../describe/discovery.ts';
import type { Readings } from '../metrics/readings.ts';
import type { SpanNames, Tracing } from '../traces/tracing.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { Chain } from './facilitator/chain.ts';
import type { Facilitator } from './facilitator/facilitator.ts';
import { feePayerReader } from './facilitator/fee-payer.ts';
import { InProcessFacilitator } from './facilitator/local.ts';
import { RemoteFacilitator } from './facilitator/remote.ts';
import { type CreditSale, ExactGate, type ExactRoute } from './gate.ts';
import { Queues } from './queue.ts';
import { Memos, type Offer } from './read/requirement.ts';
import { Reconciler } from './reconcile.ts';
import { VerificationLimits } from './verification.ts';

/** By network. */
type Chains = ReadonlyMap<string, Chain>;

export const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];

const CHAIN_SPANS: SpanNames<Chain> = { post: 'chain call', status: 'confirm' };
const FACILITATOR_SPANS: SpanNames<Facilitator> = { verify: 'verify', settle: 'settle' };

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_PROGRAMS = [TOKEN_PROGRAM, 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];

/** The token account of a wallet. */
export async function tokenAccountOf(wallet: string, mint: string): Promise<string> {
  const { address, getAddressEncoder, getProgramDerivedAddress } = await import('@solana/kit');
  const encoder = getAddressEncoder();
  const [account] = await getProgramDerivedAddress({
    programAddress: address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
    seeds: [wallet, TOKEN_PROGRAM, mint].map((each) => encoder.encode(address(each))),
  });
  return account;
}

/** Throws if payments could not arrive, or if the fee payer holds tokens that could be stolen. */
async function assertReady(
  chain: Chain,
  cluster: Cluster,
  destination: string,
  feePayer: string | undefined,
): Promise<void> {
  const faults: string[] = [];
  const check = (holds: boolean, fault: string) => holds || faults.push(`${fault} (${cluster}).`);
  const payee = await chain.account(destination);
  check(payee?.owner === TOKEN_PROGRAM, 'PAY_TO_WALLET has no USDC account; create it first');
  if (feePayer !== undefined) {
    const { lamports = 0 } = (await chain.account(feePayer)) ?? {};
    check(lamports >= USUAL_FEE_LAMPORTS, 'FEE_PAYER_KEYPAIR holds no SOL to pay fees with');
    const counts = await Promise.all(TOKEN_PROGRAMS.map((program) => chain.tokenAccounts(feePayer, program)));
    const holdsTokens = counts.some((count) => count > 0);
    check(!holdsTokens, 'FEE_PAYER_KEYPAIR holds tokens; use a key that holds SOL only');
  }
  if (faults.length > 0) throw new ConfigError(faults);
}

/** An RPC that does not answer is a fault that the operator can fix. */
function unreadable(error: unknown, cluster: Cluster): never {
  if (error instanceof ConfigError) throw error;
  throw new ConfigError([`SOLANA_${cluster.toUpperCase()}_RPC_URL does not answer; set another one, or start later.`]);
}

/** By cluster: an offer without its price and fee payer. */
type Payees = ReadonlyMap<Cluster, Omit<Offer, 'amount' | 'feePayer'>>;

/** The payee of each cluster whose routes can be sold. Throws if payments could not arrive. */
async function openPayees(paid: PaidConfig, facilitator: Facilitator, chains: Chains): Promise<Payees> {
  const payees = new Map<Cluster, Omit<Offer, 'amount' | 'feePayer'>>();
  for (const cluster of CLUSTERS) {
    const [network, asset] = [NETWORKS[cluster], USDC[cluster]];
    const chain = chains.get(network);
    const destination = await tokenAccountOf(paid.payTo, asset);
    const own = paid.facilitator.kind === 'in-process' ? facilitator.feePayer(network) : undefined;
    if (own === paid.payTo) throw new ConfigError(['PAY_TO_WALLET must not be the fee payer.']);
    if (chain) await assertReady(chain, cluster, destination, own).catch((error) => unreadable(error, cluster));
    if (chain || paid.facilitator.kind === 'remote')
      payees.set(cluster, { network, asset, payTo: paid.payTo, destination });
  }
  return payees;
}

/** What selling needs from the rest of the gateway. */
interface ExactOptions
  extends Pick<
    PaymentDependencies,
    'crypto' | 'payments' | 'originOf' | 'receipts' | 'randomId' | 'onFailure' | 'onStep' | 'onSettlement'
  > {
  readonly paid: PaidConfig;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly notice: (message: string) => void;
  readonly tracing: Pick<Tracing, 'spanned'>;
}

/** Selling by payment, open for business. */
export interface ExactSetup {
  /** The gate of a route, whose challenges contain this description. `credit`: undefined if credit is off. */
  gate(route: Route, describe: Describe, credit?: CreditSale): ExactGate;
  /** The clusters whose routes can be sold. */
  readonly clusters: ReadonlySet<Cluster>;
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

async function openFacilitator(paid: PaidConfig, all: AllChains, options: ExactOptions) {
  const { facilitator: config, feeBudgetPerHour } = paid;
  if (config.kind === 'remote') {
    const remote = new RemoteFacilitator({ ...config, crypto: options.crypto });
    await remote.refresh();
    return remote;
  }
  const { keypair } = config;
  return InProcessFacilitator.create({ keypair, ...all, feeBudgetPerHour, notice: options.notice });
}

function openChains({ paid, notice, tracing }: ExactOptions): AllChains {
  const [chains, verifyingChains] = [new Map<string, Chain>(), new Map<string, Chain>()];
  for (const cluster of CLUSTERS) {
    const url = paid.solanaRpcUrls[cluster];
    if (url === undefined) notice(missingRpc(cluster, paid.facilitator.kind));
    else
      for (const each of [chains, verifyingChains])
        each.set(NETWORKS[cluster], tracing.spanned(new Chain(url), CHAIN_SPANS));
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
  const opened = await openFacilitator(paid, all, options);
  const facilitator = options.tracing.spanned<Facilitator>(opened, FACILITATOR_SPANS);
  const payees = await openPayees(paid, facilitator, chains).catch(async (error) => {
    await opened.close();
    throw error;
  });
  const reconciler = new Reconciler({ payments, facilitator, chains, crypto, onSettlement });
  const settlements = new Queues();
  const limits = new VerificationLimits();
  const memos = paid.useMemos ? new Memos(crypto, secrets) : undefined;
  const dependencies = { ...options, ...all, facilitator, reconciler, settlements, limits, memos };
  const pricing = { rates: RATES, surchargeMicros: paid.surchargeMicros, own: paid.prices };
  const offerOf = (route: Route): ExactRoute['offer'] => {
    const payee = route.cluster && payees.get(route.cluster);
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
      await opened.close();
      await closeChains();
    },
  };
}

function missingRpc(cluster: Cluster, kind: PaidConfig['facilitator']['kind']): string {
  const name = `SOLANA_${cluster.toUpperCase()}_RPC_URL`;
  return kind === 'in-process'
    ? `${name} is not set: the paid routes of ${cluster} are off`
    : `${name} is not set: the chain is not checked, and an unknown settlement on ${cluster} ends only if the facilitator reports success`;
}
