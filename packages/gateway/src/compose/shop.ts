import { type Cluster, dollars, NETWORKS, priceMicros, RATES, type Route, USDC } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import type { PaidConfig } from '../config/paid.ts';
import { ConfigError } from '../config/settings.ts';
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
import type { Terms } from '../gates/exact/terms.ts';
import type { OriginOf } from '../gates/origin.ts';
import type { PaymentStore } from '../stores/payments.ts';

/** What a shop is opened with. */
export interface ShopParts {
  readonly config: Config;
  readonly paid: PaidConfig;
  readonly crypto: Crypto;
  readonly secrets: readonly string[];
  readonly payments: PaymentStore;
  readonly originOf: OriginOf;
  readonly randomId: () => string;
  readonly notice: (message: string) => void;
  readonly onFailure: (error: unknown) => void;
  /** Told at each step of a purchase. */
  readonly onStep?: (step: string) => void;
}

/** The payment gate, open for business. */
export interface Shop {
  /** The gate, whose challenges describe the routes so. */
  gate(describe: Describe): ExactGate;
  /** The clusters that something can be sold on. */
  readonly clusters: ReadonlySet<string>;
  priceOf(route: Route): number;
  close(): Promise<void>;
}

/** By network. */
type Chains = ReadonlyMap<string, Chain>;

const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_PROGRAMS = [TOKEN_PROGRAM, 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];
const USUAL_FEE_LAMPORTS = 10_001;

async function openFacilitator(paid: PaidConfig, parts: ShopParts, chains: Chains): Promise<FacilitatorAtWork> {
  const { facilitator } = paid;
  if (facilitator.kind === 'remote') {
    const remote = new RemoteFacilitator({ ...facilitator, crypto: parts.crypto });
    await remote.refresh();
    return { facilitator: remote, close: () => remote.close() };
  }
  const { keypair } = facilitator;
  const { payments } = parts;
  const feeBudgetPerHour = paid.feeBudgetPerHour;
  const inProcess = await InProcessFacilitator.create({ keypair, chains, feeBudgetPerHour, now: () => payments.now() });
  return { facilitator: inProcess, close: async () => undefined };
}

interface FacilitatorAtWork {
  readonly facilitator: Facilitator;
  close(): Promise<void>;
}

/** The token account that a wallet is paid into. */
async function tokenAccountOf(wallet: string, mint: string): Promise<string> {
  const { address, getAddressEncoder, getProgramDerivedAddress } = await import('@solana/kit');
  const encoder = getAddressEncoder();
  const [account] = await getProgramDerivedAddress({
    programAddress: address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
    seeds: [wallet, TOKEN_PROGRAM, mint].map((each) => encoder.encode(address(each))),
  });
  return account;
}

/** Refuses to open where payments could not arrive or the fee payer could be robbed. */
async function assertReady(
  chain: Chain,
  cluster: Cluster,
  destination: string,
  feePayer: string | undefined,
): Promise<void> {
  const faults: string[] = [];
  const check = (holds: boolean, fault: string) => holds || faults.push(`${fault} (${cluster}).`);
  check(
    (await chain.account(destination))?.owner === TOKEN_PROGRAM,
    'PAY_TO_WALLET has no USDC account; create it first',
  );
  if (feePayer !== undefined) {
    check(
      ((await chain.account(feePayer))?.lamports ?? 0) >= USUAL_FEE_LAMPORTS,
      'FEE_PAYER_KEYPAIR holds no SOL to pay fees with',
    );
    const accounts = await Promise.all(TOKEN_PROGRAMS.map((program) => chain.tokenAccounts(feePayer, program)));
    check(
      accounts.every((count) => count === 0),
      'FEE_PAYER_KEYPAIR holds tokens; use a key that holds SOL only',
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
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

/** A chain that does not answer is the operator's to name another for, or to start later. */
function unreadable(error: unknown, cluster: Cluster): never {
  if (error instanceof ConfigError) throw error;
  throw new ConfigError([`SOLANA_${cluster.toUpperCase()}_RPC_URL does not answer; set another one, or start later.`]);
}

/** The terms of each cluster that can be sold on, by cluster. Refuses where payments could not arrive. */
async function openTills(paid: PaidConfig, facilitator: Facilitator, chains: Chains) {
  const tills = new Map<string, Omit<Terms, 'amount' | 'feePayer'>>();
  for (const cluster of CLUSTERS) {
    const [network, asset] = [NETWORKS[cluster], USDC[cluster]];
    const chain = chains.get(network);
    const destination = await tokenAccountOf(paid.payTo, asset);
    const own = paid.facilitator.kind === 'in-process' ? facilitator.feePayer(network) : undefined;
    if (own === paid.payTo) throw new ConfigError(['PAY_TO_WALLET must not be the fee payer.']);
    if (chain) await assertReady(chain, cluster, destination, own).catch((error) => unreadable(error, cluster));
    if (chain || paid.facilitator.kind === 'remote')
      tills.set(cluster, { network, asset, payTo: paid.payTo, destination });
  }
  return tills;
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
  const { paid, crypto, payments, onFailure, onStep, originOf, randomId } = parts;
  const { facilitator, close } = await openFacilitator(paid, parts, chains);
  const shops = await openTills(paid, facilitator, chains).catch(async (error) => {
    await close();
    throw error;
  });
  const reconciler = new Reconciler({ payments, facilitator, chains, crypto });
  const pricing = { rates: RATES, surchargeMicros: paid.surchargeMicros };
  const settlements = new Queues();
  const counter = { payments, facilitator, chains, reconciler, settlements, onFailure, ...(onStep && { onStep }) };
  const memos = new Memos(crypto, parts.secrets);
  const gateParts = { crypto, memos, useMemos: paid.useMemos, originOf, pricing, shops, counter, randomId };
  reconciler.sweep();
  return {
    gate: (describe) => new ExactGate({ ...gateParts, describe }),
    clusters: new Set(shops.keys()),
    priceOf: (route) => priceMicros(route, pricing),
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
