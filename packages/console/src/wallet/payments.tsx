import { Copy } from '../parts/code.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { useAnswer } from '../parts/use-call.ts';
import { shortTime, usd } from './amounts.ts';
import type { BrowserWallet, Purchase } from './browser-wallet.ts';
import { loadReceiptKeys, verifyReceipt } from './receipt.ts';
import { Unfinished } from './unfinished.tsx';

type Verdict = 'valid' | 'none' | { readonly reason: string };

async function verdicts(purchases: readonly Purchase[]): Promise<readonly Verdict[]> {
  if (purchases.every(({ receipt }) => receipt === undefined)) return purchases.map(() => 'none');
  const keys = await loadReceiptKeys();
  return Promise.all(
    purchases.map(({ receipt, ...purchase }) =>
      receipt === undefined
        ? 'none'
        : verifyReceipt(receipt, keys, purchase).then(
            () => 'valid' as const,
            (error: Error) => ({ reason: error.message }),
          ),
    ),
  );
}

/** The method in a path, and where it is served: `getBalance`, `mainnet alchemy rpc`. */
function Route({ url }: { readonly url: string }) {
  const { pathname } = new URL(url, location.origin);
  const [method = pathname, ...places] = pathname
    .replace(/^\/v1\/(?:x402\/)?(?:solana\/)?/, '')
    .split('/')
    .reverse();
  return (
    <span title={pathname}>
      {method}
      <span class="small muted place">{places.reverse().join(' ')}</span>
    </span>
  );
}

/** The transaction, with a link to an explorer unless the chain is the sandbox's. */
function Transaction({ purchase, hasExplorer }: { readonly purchase: Purchase; readonly hasExplorer: boolean }) {
  const { transaction, cluster } = purchase;
  if (transaction === '') return <>Credit</>;
  const short = `${transaction.slice(0, 4)}…${transaction.slice(-4)}`;
  const query = cluster === 'devnet' ? '?cluster=devnet' : '';
  return (
    <span class="transaction">
      {hasExplorer ? (
        <a
          href={`https://solscan.io/tx/${transaction}${query}`}
          target="_blank"
          rel="noreferrer noopener"
          aria-label={`Transaction ${transaction} on Solscan`}
        >
          {short}
        </a>
      ) : (
        <code title={transaction}>{short}</code>
      )}
      <Copy text={transaction} what="the transaction" />
    </span>
  );
}

function Receipt({
  receipt,
  verdict,
}: {
  readonly receipt: string | undefined;
  readonly verdict: Verdict | undefined;
}) {
  if (receipt === undefined) return <span class="muted">None</span>;
  return (
    <span class="transaction">
      {verdict === 'valid' && <span class="badge free">Valid</span>}
      {typeof verdict === 'object' && <span class="badge invalid">Invalid: {verdict.reason}</span>}
      {verdict === undefined && <span class="muted">Not checked</span>}
      <Copy text={receipt} what="the receipt" />
    </span>
  );
}

interface PaymentsProps {
  readonly wallet: BrowserWallet;
  readonly changes: number;
  /** Undefined until known. */
  readonly isSandbox: boolean | undefined;
}

/** The payments of this browser. */
export function Payments({ wallet, changes, isSandbox }: PaymentsProps) {
  const { purchases } = wallet;
  const verified = useAnswer(() => verdicts(purchases), [changes]);
  const verdictAt = (at: number): Verdict | undefined => (verified.is === 'done' ? verified.value[at] : undefined);
  const columns: readonly Column<Purchase>[] = [
    { title: 'Time', cell: ({ at }) => <time dateTime={new Date(at).toISOString()}>{shortTime(at)}</time> },
    { title: 'Route', cell: ({ url }) => <Route url={url} /> },
    { title: 'Amount', isNumber: true, cell: ({ micros }) => (micros === undefined ? '–' : usd(micros)) },
    {
      title: 'Paid by',
      cell: (purchase) => <Transaction purchase={purchase} hasExplorer={isSandbox === false} />,
    },
    {
      title: 'Receipt',
      cell: (purchase) => <Receipt receipt={purchase.receipt} verdict={verdictAt(purchases.indexOf(purchase))} />,
    },
  ];
  return (
    <section aria-labelledby="payments">
      <h2 id="payments">Payments</h2>
      <Unfinished wallet={wallet} />
      <Table
        caption="The last 20 payments of this browser"
        isCaptionHidden
        columns={columns}
        rows={purchases}
        empty="No payments yet. The first one appears here with its transaction and its receipt."
      />
    </section>
  );
}
