import type { Cluster } from '@asset-gateway/protocol';
import { useEffect, useState } from 'preact/hooks';
import { type Column, Table } from '../parts/table.tsx';
import type { BrowserWallet } from './browser-wallet.ts';
import type { Funds } from './paying.ts';
import { TaskButton, TaskStatus, useTask } from './task.tsx';

const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];
const FAUCET = '/sandbox/faucet';

interface Held {
  readonly cluster: Cluster;
  readonly funds: Funds | undefined;
}

async function readFunds(address: string): Promise<readonly Held[]> {
  const { fundsOf } = await import('./paying.ts');
  const held = await Promise.all(
    CLUSTERS.map(async (cluster) => ({ cluster, funds: await fundsOf(address, cluster) })),
  );
  return held.filter(({ funds }) => funds !== undefined);
}

/** Whether this is the sandbox, which gives out play money. */
const hasFaucet = (): Promise<boolean> =>
  fetch(FAUCET, { method: 'OPTIONS' }).then(
    ({ ok }) => ok,
    () => false,
  );

async function askFaucet(address: string, cluster: Cluster): Promise<void> {
  const body = JSON.stringify({ address, cluster });
  const response = await fetch(FAUCET, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = (await response.json()) as { readonly message?: string };
  if (!response.ok) throw new Error(answer.message ?? 'The faucet failed; try again.');
}

const COLUMNS: readonly Column<Held>[] = [
  { title: 'Cluster', cell: ({ cluster }) => cluster },
  { title: 'USDC', isNumber: true, cell: ({ funds }) => ((funds?.usdcMicros ?? 0) / 1e6).toFixed(6) },
  { title: 'SOL', isNumber: true, cell: ({ funds }) => ((funds?.lamports ?? 0) / 1e9).toFixed(4) },
];

/** The gateway repeats a balance for three seconds. */
const BALANCE_CACHED_MS = 3_100;

/** The balances of this browser's key, with a faucet in the sandbox. */
export function Balances({ wallet, changes }: { readonly wallet: BrowserWallet; readonly changes: number }) {
  const [held, setHeld] = useState<readonly Held[]>([]);
  const [isSandbox, setSandbox] = useState(false);
  const task = useTask();
  const { address } = wallet;
  const refresh = async (): Promise<string> => {
    const read = await readFunds(address);
    setHeld(read);
    return read.length > 0 ? '' : 'This gateway sells nothing, so you need no money here.';
  };
  useEffect(() => {
    task.run(refresh);
    void hasFaucet().then(setSandbox);
  }, [address, changes]);
  const fill = (cluster: Cluster) => async (): Promise<string> => {
    await askFaucet(address, cluster);
    await new Promise((over) => setTimeout(over, BALANCE_CACHED_MS));
    await refresh();
    return `You received ten dollars of play money on ${cluster}.`;
  };
  return (
    <section aria-labelledby="funds">
      <h2 id="funds">Balances</h2>
      <Table caption="Balances by cluster" isCaptionHidden columns={COLUMNS} rows={held} empty="Loading." />
      <p class="sendings">
        <TaskButton task={task} label="Refresh" work={refresh} />
        {isSandbox &&
          held.map(({ cluster }) => (
            <TaskButton key={cluster} task={task} label={`Get play money on ${cluster}`} work={fill(cluster)} />
          ))}
      </p>
      <TaskStatus task={task} doing="Loading the balances." />
    </section>
  );
}
