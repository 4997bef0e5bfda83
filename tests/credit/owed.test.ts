import { NETWORKS } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { grant, ledgerSuite, newDebit } from '../kit/ledger.ts';

const { mainnet, devnet } = NETWORKS;

ledgerSuite('the credit outstanding', (ledger) => {
  it('is granted minus spent on each network, also after a restart', async () => {
    const owed = async (accounts = ledger.accounts) => {
      const found = await accounts.owed();
      return [found.get(mainnet) ?? 0, found.get(devnet) ?? 0];
    };
    expect(await owed()).toEqual([0, 0]);
    await grant(ledger, 100);
    await grant(ledger, 7, { network: devnet, payer: 'another wallet' });
    const [spent, released, beyond] = [newDebit(30), newDebit(20), newDebit(90)];
    for (const debit of [spent, released]) await ledger.accounts.hold(debit);
    expect(await owed()).toEqual([100, 7]);
    await ledger.accounts.capture(spent, '""');
    await ledger.accounts.capture(spent, '""');
    await ledger.accounts.release(released, true);
    expect(await ledger.accounts.capture(beyond, '""')).toBe('insufficient');
    expect(await owed()).toEqual([70, 7]);
    await ledger.reopen();
    expect(await owed()).toEqual([70, 7]);
    const other = await ledger.openOther?.();
    if (other) expect(await owed(other.accounts)).toEqual([70, 7]);
  });
});
