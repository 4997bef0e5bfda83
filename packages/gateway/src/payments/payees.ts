import { type Cluster, NETWORKS, USDC, USUAL_FEE_LAMPORTS } from '@asset-gateway/protocol';
import type { PaidConfig } from '../config/paid.ts';
import { ConfigError } from '../config/settings.ts';
import type { Chain } from './facilitator/chain.ts';
import type { Facilitator } from './facilitator/facilitator.ts';
import type { Offer } from './requirement.ts';

/** By network. */
export type Chains = ReadonlyMap<string, Chain>;

export const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];

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

/** An RPC that does not answer is a fault that the operator can fix. */
function unreadable(error: unknown, cluster: Cluster): never {
  if (error instanceof ConfigError) throw error;
  throw new ConfigError([`SOLANA_${cluster.toUpperCase()}_RPC_URL does not answer; set another one, or start later.`]);
}

/** By cluster: an offer without its price and fee payer. */
export type Payees = ReadonlyMap<string, Omit<Offer, 'amount' | 'feePayer'>>;

/** The payee of each cluster whose routes can be sold. Throws if payments could not arrive. */
export async function openPayees(paid: PaidConfig, facilitator: Facilitator, chains: Chains): Promise<Payees> {
  const payees = new Map<string, Omit<Offer, 'amount' | 'feePayer'>>();
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
