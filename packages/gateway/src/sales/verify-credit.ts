import { accountName } from '../credit/debit.ts';
import { clusterOf } from './grouping.ts';
import type { ReadEntry } from './journal.ts';
import type { Discrepancy, Fault } from './verify.ts';

/** What a wallet's account says, in millionths of a dollar. */
export interface Balance {
  readonly grantedMicros: number;
  readonly spentMicros: number;
}

/** Adds up what the journal says of each account. All entries that there have ever been are needed. */
export class Movements {
  readonly #accounts = new Map<string, Balance & Pick<ReadEntry, 'network' | 'wallet'>>();

  add({ kind, network, wallet, micros }: ReadEntry): void {
    if (kind !== 'grant' && kind !== 'debit') return;
    const name = accountName({ network, wallet });
    const { grantedMicros, spentMicros } = this.#accounts.get(name) ?? { grantedMicros: 0, spentMicros: 0 };
    this.#accounts.set(name, {
      network,
      wallet,
      grantedMicros: grantedMicros + (kind === 'grant' ? micros : 0),
      spentMicros: spentMicros + (kind === 'debit' ? micros : 0),
    });
  }

  /** The names of the accounts' documents. */
  names(): readonly string[] {
    return [...this.#accounts.keys()];
  }

  /** Where it is not what the account says; in the order of the names. */
  faults(balances: readonly (Balance | undefined)[]): Discrepancy[] {
    return [...this.#accounts].flatMap(([id, account], index) => {
      const found = balances[index];
      if (balanceOf(account) === (found ? balanceOf(found) : 0)) return [];
      const whose = { cluster: clusterOf(account), wallet: account.wallet, transaction: '', id };
      return [{ fault: 'balance differs', ...whose, journal: balanceOf(account), found: found && balanceOf(found) }];
    });
  }
}

const balanceOf = ({ grantedMicros, spentMicros }: Balance): number => grantedMicros - spentMicros;

/** Grants that no settlement stands behind, or not with as much. */
export function grantFaults(entries: readonly ReadEntry[]): Discrepancy[] {
  const settled = new Map(entries.filter(({ kind }) => kind === 'settlement').map((each) => [each.id, each.micros]));
  return entries.flatMap((entry) => {
    const micros = settled.get(entry.id);
    if (entry.kind !== 'grant' || (micros !== undefined && entry.micros <= micros)) return [];
    const fault: Fault = micros === undefined ? 'granted without settlement' : 'granted beyond settlement';
    const { wallet, transaction, id } = entry;
    return [{ fault, cluster: clusterOf(entry), wallet, transaction, id, journal: entry.micros, found: micros }];
  });
}
