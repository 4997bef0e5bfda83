import { type Cluster, dollars, NETWORKS, Refusal } from '@asset-gateway/protocol';
import type { Answer, UpstreamCall } from '../call.ts';
import { fromStore } from '../from-store.ts';
import { LIMITS } from '../limits.ts';
import { monotonicMs } from '../stores/clock.ts';
import { text } from '../stores/sql/database.ts';
import { Recent } from '../tallies.ts';
import { balanceOf } from './account.ts';
import type { Accounts } from './accounts.ts';

const ledger = (cluster: Cluster, balanceMicros: number) => ({
  cluster,
  network: NETWORKS[cluster],
  balanceUsd: dollars(balanceMicros),
  balanceMicros,
});

function walletOf({ wallet }: UpstreamCall): string {
  if (wallet === undefined) throw new Refusal('internal_error', { reason: 'no wallet has signed' });
  return wallet;
}

const TOO_OFTEN = 'This wallet reads its credit too often; retry after Retry-After.';

/** Returns the balances and the latest movements of the wallet that signs. A wallet may read them a few times a second. */
export const balanceAnswer =
  (accounts: Accounts, sold: readonly Cluster[], reads = new Recent<number>(1_000)) =>
  async (call: UpstreamCall): Promise<Answer> => {
    const wallet = walletOf(call);
    const second = `${wallet} ${Math.floor(monotonicMs() / 1_000)}`;
    const count = (reads.get(second, monotonicMs()) ?? 0) + 1;
    if (count > LIMITS.readsPerSecond)
      throw new Refusal('rate_limited', { reason: 'reads of credit', message: TOO_OFTEN, retryAfterSeconds: 1 });
    reads.set(second, count, monotonicMs());
    const read = async (cluster: Cluster) => {
      const holder = { network: NETWORKS[cluster], wallet };
      const [account, movements] = await Promise.all([accounts.find(holder), accounts.movements(holder)]);
      const { heldMicros, grantedMicros, spentMicros } = account;
      const balance = { ...ledger(cluster, balanceOf(account)), heldMicros, grantedMicros, spentMicros };
      return { balance, movements };
    };
    const found = await fromStore(Promise.all(sold.map(read)));
    const movements = found
      .flatMap((each) => each.movements)
      .sort((one, other) => (text(one.at) < text(other.at) ? 1 : -1));
    const balances = found.map((each) => each.balance);
    const result = { wallet, balances, movements: movements.slice(0, LIMITS.movements) };
    return { json: JSON.stringify(result) };
  };

/** Returns the balance as it will be after the purchase, which settles next. */
export const purchaseAnswer =
  (accounts: Accounts, sold: Cluster) =>
  async (call: UpstreamCall): Promise<Answer> => {
    const wallet = walletOf(call);
    const account = await fromStore(accounts.find({ network: NETWORKS[sold], wallet }));
    const boughtMicros = account.purchase?.micros ?? 0;
    const result = { wallet, ...ledger(sold, balanceOf(account) + boughtMicros), boughtMicros };
    return { json: JSON.stringify(result) };
  };
