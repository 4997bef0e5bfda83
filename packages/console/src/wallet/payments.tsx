import { dollarText, UNKNOWN } from '@asset-gateway/protocol';
import { Copy, TaskButton, TaskStatus, useTask } from '../parts/button.tsx';
import { Json } from '../parts/code.tsx';
import { useReloadable } from '../parts/hooks.ts';
import { type Column, Table } from '../parts/table.tsx';
import { short } from '../parts/text.ts';
import { hrefOf } from '../router.ts';
import type { CatalogRow } from '../routes/catalog.ts';
import { session } from '../session.ts';
import type { Purchase } from './browser-wallet.ts';
import { loadReceiptKeys, receiptFault } from './check-receipt.tsx';
import { shortTime, useWallet } from './funds.ts';
import { type Spent, unfinished } from './ledger.ts';
import { PaymentFailure } from './missing.tsx';

/** Payments without an answer. Each is resent unchanged, so it is charged once. */
function Unfinished() {
  const { wallet } = session;
  const task = useTask();
  const open = unfinished();
  const resend = (spent: Spent) => async () => {
    const response = await wallet.resume(spent);
    const said = response.ok
      ? 'The gateway answered, and the payment is complete.'
      : `The gateway answered ${response.status}.`;
    return { said, shown: <Json label="Answer" text={await response.text()} /> };
  };
  if (open.length === 0 && !task.outcome) return null;
  return (
    <div class="unfinished">
      {open.length > 0 && (
        <>
          <h3>Unfinished payments</h3>
          <p class="small">
            These payments were signed, but their answers were lost. Resend one to get its answer; you are charged once.
          </p>
        </>
      )}
      <ul>
        {open.map((spent) => (
          <li key={spent.id} class="row">
            <code>{new URL(spent.request?.url ?? '/', location.origin).pathname}</code>
            <span class="small muted">
              {dollarText(spent.micros)}, {shortTime(spent.at)}
            </span>
            <TaskButton task={task} label="Resend" work={resend(spent)} />
          </li>
        ))}
      </ul>
      <TaskStatus task={task} doing="Resending the payment." failure={PaymentFailure} />
    </div>
  );
}

/** Why each receipt is invalid; empty if it is valid. */
type Verdicts = ReadonlyMap<string, string>;

async function verifyAll(purchases: readonly Purchase[]): Promise<Verdicts> {
  const receipts = purchases.flatMap(({ receipt, ...paid }) => (receipt === undefined ? [] : [{ receipt, paid }]));
  if (receipts.length === 0) return new Map();
  const keys = await loadReceiptKeys();
  const verified = receipts.map(
    async ({ receipt, paid }) => [receipt, await receiptFault(receipt, keys, paid)] as const,
  );
  return new Map(await Promise.all(verified));
}

/** The method in a path, and where it is served: `getBalance`, `mainnet alchemy rpc`. */
function Route({ url }: { readonly url: string }) {
  const { pathname } = new URL(url, location.origin);
  const segments = pathname.replace(/^\/v1\/(?:x402\/)?(?:solana\/)?/, '').split('/');
  // A credit path ends with its cluster.
  const method = (segments[0] === 'credit' ? segments.shift() : segments.pop()) ?? pathname;
  return <Two first={method} second={segments.join(' ')} title={pathname} />;
}

/** Two lines in a cell. The second is less important. */
const Two = ({ first, second, title }: Readonly<Record<'first' | 'second' | 'title', string>>) => (
  <span title={title}>
    {first} <span class="small muted second">{second}</span>
  </span>
);

function Time({ at }: { readonly at: number }) {
  const [day = '', time = ''] = shortTime(at).split(', ');
  return <Two first={day} second={time} title={new Date(at).toLocaleString('en-GB')} />;
}

/** The transaction, with a link to an explorer unless the chain is the sandbox's. */
function Transaction({ purchase, hasExplorer }: { readonly purchase: Purchase; readonly hasExplorer: boolean }) {
  const { transaction, cluster } = purchase;
  if (transaction === '') return <>Credit</>;
  const query = cluster === 'devnet' ? '?cluster=devnet' : '';
  return (
    <span class="copy">
      {hasExplorer ? (
        <a
          href={`https://solscan.io/tx/${transaction}${query}`}
          target="_blank"
          rel="noreferrer noopener"
          aria-label={`Transaction ${transaction} on Solscan`}
        >
          {short(transaction)}
        </a>
      ) : (
        <code title={transaction}>{short(transaction)}</code>
      )}
      <Copy text={transaction} what="the transaction" />
    </span>
  );
}

function Receipt({ receipt, verdicts }: { readonly receipt: string | undefined; readonly verdicts: Verdicts }) {
  if (receipt === undefined) return <span class="muted">None</span>;
  const fault = verdicts.get(receipt);
  return (
    <span class="copy">
      {fault === undefined && <span class="muted">Not checked</span>}
      {fault === '' && <span class="badge up">Valid</span>}
      {fault && <span class="badge down invalid">Invalid: {fault}</span>}
      <Copy text={receipt} what="the receipt" />
    </span>
  );
}

interface PaymentsProps {
  /** Whether an explorer knows the chain. */
  readonly hasExplorer: boolean;
  readonly hasReceipts: boolean;
  readonly rows: readonly CatalogRow[];
}

/** Where to make a first payment. */
function NoPayments({ rows }: Pick<PaymentsProps, 'rows'>) {
  const first = rows.find(({ surface, method }) => surface === 'rpc' && method === 'getBalance');
  return (
    <p class="muted">
      No payments yet.{' '}
      {first && (
        <a href={hrefOf('routes', first.id)}>
          Pay ${first.priceUsd} for {first.method}
        </a>
      )}
    </p>
  );
}

/** The payments of this browser, in USDC or from credit. */
export function Payments({ hasExplorer, hasReceipts, rows }: PaymentsProps) {
  const { wallet, changes } = useWallet();
  const { purchases } = wallet;
  const { value: verdicts = new Map<string, string>() } = useReloadable(
    () => verifyAll(hasReceipts ? purchases : []),
    [changes, hasReceipts],
  );
  const receipt: Column<Purchase> = {
    title: 'Receipt',
    cell: (each) => <Receipt receipt={each.receipt} verdicts={verdicts} />,
  };
  return (
    <section aria-labelledby="payments">
      <h2 id="payments">Payments</h2>
      <Unfinished />
      {purchases.length === 0 ? (
        <NoPayments rows={rows} />
      ) : (
        <Table
          caption="The last 20 payments of this browser"
          isCaptionHidden
          rows={purchases}
          columns={[
            { title: 'Time', cell: ({ at }) => <Time at={at} /> },
            { title: 'Route', cell: ({ url }) => <Route url={url} /> },
            {
              title: 'Amount',
              isNumber: true,
              cell: ({ micros }) => (micros === undefined ? UNKNOWN : dollarText(micros)),
            },
            { title: 'Paid by', cell: (each) => <Transaction purchase={each} hasExplorer={hasExplorer} /> },
            ...(hasReceipts ? [receipt] : []),
          ]}
        />
      )}
    </section>
  );
}
