import { useState } from 'preact/hooks';
import { Copy } from '../parts/copy.tsx';
import { Json } from '../parts/json.tsx';
import { type Spent, unfinished } from './ledger.ts';
import type { Purchase, Purse } from './purse.ts';
import { verifyReceipt } from './receipt.ts';
import { TaskButton, Told } from './told.tsx';
import { useTask } from './use-task.ts';

const pathOf = (url: string): string => new URL(url, location.origin).pathname;
const timeOf = (at: number): string => new Date(at).toLocaleString();

/** Payments whose answer has not come: the same one is sent again, and never a second one. */
export function Unfinished({ purse }: { readonly purse: Purse }) {
  const task = useTask();
  const [answer, setAnswer] = useState<string>();
  const open = unfinished();
  const sendAgain = async (spent: Spent): Promise<string> => {
    const response = await purse.resume(spent);
    setAnswer(await response.text());
    return response.ok ? 'The answer is here, and the payment is finished.' : `The gateway says ${response.status}.`;
  };
  if (open.length === 0 && answer === undefined) return null;
  return (
    <section aria-labelledby="unfinished">
      <h2 id="unfinished">Not finished</h2>
      <p class="small muted">
        These payments were signed, and their answer has not come. Sent again, the same payment brings it and costs
        nothing more.
      </p>
      <ul class="purchases">
        {open.map((spent) => (
          <li key={spent.id}>
            <span class="line">{pathOf(spent.request?.url ?? '/')}</span>
            <span class="small muted">
              ${spent.micros / 1e6}, {timeOf(spent.at)}
            </span>
            <TaskButton task={task} label="Send again" work={() => sendAgain(spent)} />
          </li>
        ))}
      </ul>
      <Told task={task} doing="Sending the payment again." />
      {answer !== undefined && <Json label="Body" text={answer} />}
    </section>
  );
}

function Verdict({ purchase }: { readonly purchase: Purchase }) {
  const task = useTask();
  const { receipt } = purchase;
  if (receipt === undefined) return <span class="small muted">No receipt: this gateway signs none.</span>;
  const verify = async (): Promise<string> => {
    const verified = await verifyReceipt(receipt, purchase).catch((error: unknown) => {
      throw new Error(`The receipt does not hold: ${(error as Error).message}.`);
    });
    return `The receipt holds: signed by this gateway at ${timeOf(verified.issuedAt * 1000)}.`;
  };
  return (
    <>
      <button type="button" class="quiet" disabled={task.isBusy} onClick={() => task.run(verify)}>
        Verify the receipt
      </button>
      <Told task={task} doing="Looking up the key." />
    </>
  );
}

/** What was paid for in this browser, with the transaction and the receipt of each. */
export function Purchases({ purse }: { readonly purse: Purse }) {
  const { purchases } = purse;
  return (
    <section aria-labelledby="purchases">
      <h2 id="purchases">Paid for</h2>
      {purchases.length === 0 && <p class="muted">Nothing yet.</p>}
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
