import { type Cluster, dollars, NETWORKS, Refusal } from '@asset-gateway/protocol';
import type { Admission, Slot, UpstreamCall } from '../call.ts';
import { fromStore } from '../gates/gate.ts';
import { type Account, type AccountHolder, balanceOf, CREDIT } from './account.ts';
import type { Accounts, Movement } from './accounts.ts';

const ledger = (cluster: Cluster, balanceMicros: number) => ({
  cluster,
  network: NETWORKS[cluster],
  balanceUsd: dollars(balanceMicros),
  balanceMicros,
});

function balance(cluster: Cluster, account: Account) {
  const { grantedMicros, spentMicros, heldMicros } = account;
  return { ...ledger(cluster, balanceOf(account)), heldMicros, grantedMicros, spentMicros };
}

const movement = (cluster: Cluster, { kind, micros, at, route, transaction }: Movement) => ({
  kind,
  cluster,
  micros,
  at,
  route,
  ...(transaction !== undefined && { transaction }),
});

function walletOf({ wallet }: UpstreamCall): string {
  if (wallet === undefined) throw new Refusal('internal_error', { reason: 'no wallet has signed' });
  return wallet;
}

/** Answers the balances and the latest movements of the wallet that signs. */
export const balanceUpstream = (accounts: Accounts, sold: readonly Cluster[]) => ({
  async answer(call: UpstreamCall) {
    const wallet = walletOf(call);
    const holders = sold.map((cluster) => ({ network: NETWORKS[cluster], wallet }));
    const read = (holder: AccountHolder) => Promise.all([accounts.find(holder), accounts.movements(holder)]);
    const found = await fromStore(Promise.all(holders.map(read)));
    const all = sold.map((each, index) => ({ sold: each, found: found[index] as Awaited<ReturnType<typeof read>> }));
    const movements = all
      .flatMap(({ sold, found: [, ofCluster] }) => ofCluster.map((each) => ({ sold, each })))
      .sort((one, other) => (one.each.at < other.each.at ? 1 : -1))
      .slice(0, CREDIT.movements);
    const result = {
      wallet,
      balances: all.map(({ sold, found: [account] }) => balance(sold, account)),
      movements: movements.map(({ sold, each }) => movement(sold, each)),
    };
    return { json: JSON.stringify(result) };
  },
});

/** Answers the balance after the purchase, which settles next. */
export const purchaseUpstream = (accounts: Accounts, sold: Cluster) => ({
  async answer(call: UpstreamCall) {
    const wallet = walletOf(call);
    await call.spend(NO_BUDGET);
    const account = await fromStore(accounts.find({ network: NETWORKS[sold], wallet }));
    const boughtMicros = account.purchase?.micros ?? 0;
    const result = { wallet, ...ledger(sold, balanceOf(account) + boughtMicros), boughtMicros };
    return { json: JSON.stringify(result) };
  },
});

const NO_BUDGET = { key: '', limit: 0, windowMs: 0, inFlightMs: 0 };
const FREE_SLOT: Slot = { release: () => undefined };

/** Spends an admission without an upstream or a budget. */
export const spendNothing = (admission: Pick<Admission, 'spend'>) => () => admission.spend(async () => FREE_SLOT);
