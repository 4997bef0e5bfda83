import { type Cluster, textAt } from '@asset-gateway/protocol';
import { useEffect } from 'preact/hooks';
import { gatewayIndex } from '../gateway.ts';
import { connectivity } from '../parts/connectivity.ts';
import { type Reloadable, sleep, useShown } from '../parts/hooks.ts';
import { session } from '../session.ts';
import type { Funds } from './funds-of.ts';

/** The payer's balances on the clusters that the gateway sells on. `value` is undefined until they are known. */
export type Balances = Reloadable<readonly Funds[]>;

/** The gateway repeats a balance for three seconds. */
const BALANCE_CACHED_MS = 3_100;

async function readFunds(address: string): Promise<readonly Funds[]> {
  const { clusters } = await gatewayIndex();
  // Do not load the paying code for a gateway that sells nothing.
  if (clusters.length === 0) return [];
  const { fundsOf } = await import('./funds-of.ts');
  const funds = await Promise.all(clusters.map((cluster) => fundsOf(address, cluster)));
  return funds.filter((each) => each !== undefined);
}

/**
 * The source of balances for all views of a tab. After each change of the wallet, it reads again when the gateway's
 * cached balance has expired.
 */
class BalanceSource extends EventTarget {
  state: Omit<Balances, 'reload'> = { isLoading: false };
  #payer = '';
  #count = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Starts the first read. */
  start(): void {
    if (this.#payer !== '') return;
    session.wallet.addEventListener('change', () => this.#onChange());
    connectivity.addEventListener(
      'change',
      () => connectivity.isLost || this.state.error === undefined || void this.read(),
    );
    void this.read();
  }

  /** Reads the payer's balances now. Ignores results of earlier reads. */
  async read(): Promise<void> {
    const { payer } = session.wallet;
    const count = ++this.#count;
    const kept = payer === this.#payer ? this.state.value : undefined;
    this.#payer = payer;
    this.#set({ value: kept, isLoading: true });
    const next = await readFunds(payer).then(
      (value) => ({ value, isLoading: false }),
      (error: unknown) => ({ value: kept, error, isLoading: false }),
    );
    if (count === this.#count) this.#set(next);
  }

  #onChange(): void {
    clearTimeout(this.#timer);
    if (session.wallet.payer !== this.#payer) return void this.read();
    this.#timer = setTimeout(() => void this.read(), BALANCE_CACHED_MS);
  }

  #set(state: BalanceSource['state']): void {
    this.state = state;
    this.dispatchEvent(new Event('change'));
  }
}

const source = new BalanceSource();
const reload = (): void => void source.read();

/** Returns the payer's balances, which header, strip, wallet and pay buttons share. */
export function useBalances(): Balances {
  const state = useShown(source, 'change', () => source.state);
  useEffect(() => source.start(), []);
  return { ...state, reload };
}

/** Returns the balance on a cluster in millionths of a USDC; undefined if unknown. */
export const usdcOn = ({ value }: Balances, cluster: Cluster): number | undefined =>
  value?.find((each) => each.cluster === cluster)?.usdcMicros;

/** Gets play money for this browser's key. When it resolves, the balances show it. Only the sandbox has a faucet. */
export async function askFaucet(cluster: Cluster): Promise<void> {
  const body = JSON.stringify({ address: session.wallet.address, cluster });
  const headers = { 'content-type': 'application/json' };
  const response = await connectivity.fetch('/sandbox/faucet', { method: 'POST', headers, body });
  const message = textAt(await response.json(), 'message');
  if (!response.ok) throw new Error(message || 'The faucet failed; try again.');
  await sleep(BALANCE_CACHED_MS);
  await source.read();
}
