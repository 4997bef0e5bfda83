import { errorOf } from '@asset-gateway/client';
import { below, type Cluster, dollarText, MICROS_PER_USD, microsOfUsd, priceFigure } from '@asset-gateway/protocol';
import { plain, rows } from '../parts/text.ts';
import { answered, type LastCall } from '../parts/use-call.ts';
import type { CatalogRow } from '../routes/catalog.ts';
import { session } from '../session.ts';
import { askFaucet } from '../wallet/use-balance.ts';
import { search } from './calls.ts';

/** The cluster of the first run. */
export const CLUSTER: Cluster = 'mainnet';

/** A call that the gateway sells: its path, and its price in millionths of a dollar. */
export type PaidCall = Awaited<ReturnType<typeof paidCall>>;

/** Returns the call of step 3, as the catalog lists it: an address's balance. */
export async function paidCall() {
  const { rowsOf } = await import('../routes/catalog.ts');
  const isIt = ({ surface, method, cluster }: CatalogRow) =>
    surface === 'rpc' && method === 'getBalance' && cluster === CLUSTER;
  const row = (await rowsOf()).find(isIt);
  if (!row) throw new Error('This gateway does not sell the call of this step.');
  return { path: row.path, micros: microsOfUsd(row.priceUsd) };
}

/** Step 1: a free call, signed with this browser's key. */
export async function signFree(report: (lastCall: LastCall) => void): Promise<string> {
  const call = search('gold');
  const { answer, lastCall } = await answered(call);
  report(lastCall);
  const [found] = rows(below(answer.full.result, 'results'), 1);
  const price = priceFigure(below(found, 'stats', 'price'));
  return `${plain(found?.name) || 'Gold'} costs ${price}. A key in this browser signed the call, for free.`;
}

/** Step 2: play money for that key. */
export async function fillWallet(): Promise<string> {
  await askFaucet(CLUSTER);
  return 'The faucet sent 10 USDC of play money to this browser.';
}

/** Step 3: the paid call, for at most its price. */
export const payOnce =
  ({ path, micros }: PaidCall) =>
  async (): Promise<string> => {
    const { wallet } = session;
    const response = await wallet.buy(path, { params: [wallet.address] }, micros / MICROS_PER_USD);
    const text = await response.text();
    if (!response.ok) throw errorOf(response, text);
    const lamports = below(JSON.parse(text), 'result', 'value');
    const sol = typeof lamports === 'number' ? ` It says that your address holds ${lamports / 1e9} SOL.` : '';
    return `The gateway answered and took ${dollarText(micros)} in USDC.${sol}`;
  };
