import { useState } from 'preact/hooks';
import { Copy } from '../parts/code.tsx';
import { Json } from '../parts/json.tsx';
import type { BrowserWallet, Purchase } from './browser-wallet.ts';
import { type Spent, unfinished } from './ledger.ts';
import { verifyReceipt } from './receipt.ts';
import { TaskButton, TaskStatus, useTask } from './task.tsx';

const pathOf = (url: string): string => new URL(url, location.origin).pathname;
const timeOf = (at: number): string => new Date(at).toLocaleString();

/** Payments without an answer. Each is resent as it was, so it is charged once. */
export function Unfinished({ wallet }: { readonly wallet: BrowserWallet }) {
  const task = useTask();
  const [answer, setAnswer] = useState<string>();
  const open = unfinished();
  const resend = async (spent: Spent): Promise<string> => {
    const response = await wallet.resume(spent);
    setAnswer(await response.text());
    return response.ok
      ? 'The gateway answered, and the payment is complete.'
      : `The gateway answered ${response.status}.`;
  };
  if (open.length === 0 && answer === undefined) return null;
  return (
    <section aria-labelledby="unfinished">
      <h2 id="unfinished">Unfinished payments</h2>
      <p class="small muted">
        These payments were signed and have no answer yet. Resending one fetches the answer; you are charged once.
      </p>
      <ul class="purchases">
        {open.map((spent) => (
          <li key={spent.id}>
            <span class="line">{pathOf(spent.request?.url ?? '/')}</span>
            <span class="small muted">
              ${spent.micros / 1e6}, {timeOf(spent.at)}
            </span>
            <TaskButton task={task} label="Resend" work={() => resend(spent)} />
          </li>
        ))}
      </ul>
      <TaskStatus task={task} doing="Resending the payment." />
      {answer !== undefined && <Json label="Body" text={answer} />}
    </section>
  );
}

function Verdict({ purchase }: { readonly purchase: Purchase }) {
  const task = useTask();
  const { receipt } = purchase;
  if (receipt === undefined) return <span class="small muted">This gateway signs no receipts.</span>;
  const verify = async (): Promise<string> => {
    const verified = await verifyReceipt(receipt, purchase).catch((error: unknown) => {
      throw new Error(`The receipt is invalid: ${(error as Error).message}.`);
    });
    return `The receipt is valid: signed by this gateway at ${timeOf(verified.issuedAt * 1000)}.`;
  };
  return (
    <>
      <button type="button" class="quiet" disabled={task.isBusy} onClick={() => task.run(verify)}>
        Verify receipt
      </button>
      <TaskStatus task={task} doing="Loading the gateway's key." />
    </>
  );
}

/** The purchases of this browser, with the transaction and the receipt of each. */
export function Purchases({ wallet }: { readonly wallet: BrowserWallet }) {
  const { purchases } = wallet;
  return (
    <section aria-labelledby="purchases">
      <h2 id="purchases">Purchases</h2>
      {purchases.length === 0 && <p class="muted">None yet.</p>}
      <ul class="purchases">
        {purchases.map((purchase) => (
          <li key={`${purchase.at} ${purchase.transaction}`}>
            <span class="line">{pathOf(purchase.url)}</span>
            <span class="small muted">{timeOf(purchase.at)}</span>
            {purchase.transaction === '' ? (
              <span class="small">Paid from credit, without a transaction.</span>
            ) : (
              <span class="line">
                Transaction {purchase.transaction} <Copy text={purchase.transaction} what="the transaction" />
              </span>
            )}
            <Verdict purchase={purchase} />
          </li>
        ))}
      </ul>
    </section>
  );
}
