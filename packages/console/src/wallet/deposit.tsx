import './deposit.css';
import type { Cluster } from '@asset-gateway/protocol';
import { useMemo } from 'preact/hooks';
import { encode } from 'uqr';
import { Copy, TaskButton, TaskStatus, useTask } from '../parts/button.tsx';
import { session } from '../session.ts';
import { askFaucet, type Balances } from './use-balance.ts';

/** The light border that scanners need, in modules. */
const QUIET_ZONE = 4;

/** A QR code, dark on light in both colour schemes, because many scanners read no other. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, box } = useMemo(() => {
    const { data, size } = encode(text, { border: QUIET_ZONE });
    const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
    return { path: squares.join(''), box: `0 0 ${size} ${size}` };
  }, [text]);
  return (
    <svg class="qr" viewBox={box} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
}

/** Where to send USDC: an address and its QR code. */
export const Deposit = ({ address }: { readonly address: string }) => (
  <div class="deposit">
    <div>
      <p>Send USDC on Solana to this address. You need no SOL: the gateway pays the network fee.</p>
      <p class="address">{address}</p>
      <Copy text={address} what="the address" />
    </div>
    <QrCode text={address} label="QR code of the address" />
  </div>
);

interface FaucetProps {
  readonly clusters: readonly Cluster[];
  readonly class?: string;
}

/** Buttons that get play money for this browser's key, one per cluster. */
export function Faucet({ clusters, ...rest }: FaucetProps) {
  const task = useTask();
  const fill = (cluster: Cluster) => async () => {
    await askFaucet(cluster);
    return { said: `You received 10 play USDC on ${cluster}.` };
  };
  const labelFor = (cluster: Cluster): string =>
    clusters.length > 1 ? `Get 10 play USDC on ${cluster}` : 'Get 10 play USDC';
  return (
    <>
      <p class="row actions">
        {clusters.map((cluster) => (
          <TaskButton key={cluster} task={task} label={labelFor(cluster)} work={fill(cluster)} {...rest} />
        ))}
      </p>
      <TaskStatus task={task} doing="Waiting for the play money." />
    </>
  );
}

interface AddMoneyProps {
  readonly funds: Balances;
  /** Undefined until known. */
  readonly isSandbox: boolean | undefined;
}

/** How to fund this browser's key: play money in the sandbox, elsewhere its address. */
export function AddMoney({ funds, isSandbox }: AddMoneyProps) {
  const { address } = session.wallet;
  const clusters = (funds.value ?? []).map(({ cluster }) => cluster);
  return (
    <section aria-labelledby="add">
      <h2 id="add">Add money</h2>
      {isSandbox === false && <Deposit address={address} />}
      {isSandbox && (
        <>
          <Faucet clusters={clusters} />
          <p class="row small">
            <span class="muted">Address on the sandbox’s chains; send no real money to it:</span>
            <span class="address">{address}</span>
            <Copy text={address} what="the address" />
          </p>
        </>
      )}
    </section>
  );
}
