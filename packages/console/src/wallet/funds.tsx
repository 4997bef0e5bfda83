import type { Cluster } from '@asset-gateway/protocol';
import { useEffect, useState } from 'preact/hooks';
import { type Column, Table } from '../parts/table.tsx';
import type { Funds } from './paying.ts';
import type { Purse } from './purse.ts';
import { TaskButton, Told } from './told.tsx';
import { useTask } from './use-task.ts';

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

/** Whether there is play money here: only the sandbox has this row. */
const hasFaucet = (): Promise<boolean> =>
  fetch(FAUCET, { method: 'OPTIONS' }).then(
    ({ ok }) => ok,
    () => false,
  );

async function askFaucet(address: string, cluster: Cluster): Promise<void> {
  const body = JSON.stringify({ address, cluster });
  const response = await fetch(FAUCET, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = (await response.json()) as { readonly message?: string };
  if (!response.ok) throw new Error(answer.message ?? 'The faucet gave nothing; try again.');
}

const COLUMNS: readonly Column<Held>[] = [
  { title: 'Cluster', cell: ({ cluster }) => cluster },
  { title: 'USDC', isNumber: true, cell: ({ funds }) => ((funds?.usdcMicros ?? 0) / 1e6).toFixed(6) },
  { title: 'SOL', isNumber: true, cell: ({ funds }) => ((funds?.lamports ?? 0) / 1e9).toFixed(4) },
];

/** What was read just before is told again for three seconds. */
const KEPT_MS = 3_100;

/** What the key of this browser holds, and in the sandbox where to get some. */
export function FundsOf({ purse, changes }: { readonly purse: Purse; readonly changes: number }) {
  const [held, setHeld] = useState<readonly Held[]>([]);
  const [isSandbox, setSandbox] = useState(false);
  const task = useTask();
  const { address } = purse;
  const refresh = async (): Promise<string> => {
    const read = await readFunds(address);
    setHeld(read);
    return read.length > 0 ? '' : 'This gateway sells nothing, so that no money is needed here.';
  };
  useEffect(() => {
    task.run(refresh);
    void hasFaucet().then(setSandbox);
  }, [address, changes]);
  const fill = (cluster: Cluster) => async (): Promise<string> => {
    await askFaucet(address, cluster);
    await new Promise((over) => setTimeout(over, KEPT_MS));
    await refresh();
    return `Ten dollars of play money have come on ${cluster}.`;
  };
  return (
    <section aria-labelledby="funds">
      <h2 id="funds">What it holds</h2>
      <Table caption="Balances" isCaptionHidden columns={COLUMNS} rows={held} empty="Not read yet." />
      <p class="sendings">
        <TaskButton task={task} label="Read again" work={refresh} />
        {isSandbox &&
          held.map(({ cluster }) => (
            <TaskButton key={cluster} task={task} label={`Get play money on ${cluster}`} work={fill(cluster)} />
          ))}
      </p>
      <Told task={task} doing="Reading the balances." />
    </section>
  );
}
