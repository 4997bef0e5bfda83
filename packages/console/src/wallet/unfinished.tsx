import { useState } from 'preact/hooks';
import { Json } from '../parts/json.tsx';
import { shortTime, usd } from './amounts.ts';
import type { BrowserWallet } from './browser-wallet.ts';
import { type Spent, unfinished } from './ledger.ts';
import { TaskButton, TaskStatus, useTask } from './task.tsx';

/** Payments without an answer. Each is resent as it was, so it is charged once. */
export function Unfinished({ wallet }: { readonly wallet: BrowserWallet }) {
  const task = useTask();
  const [answer, setAnswer] = useState<string>();
  const open = unfinished();
  const resend = (spent: Spent) => async (): Promise<string> => {
    const response = await wallet.resume(spent);
    setAnswer(await response.text());
    return response.ok
      ? 'The gateway answered, and the payment is complete.'
      : `The gateway answered ${response.status}.`;
  };
  if (open.length === 0 && answer === undefined) return null;
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
          <li key={spent.id}>
            <code>{new URL(spent.request?.url ?? '/', location.origin).pathname}</code>
            <span class="small muted">
              {usd(spent.micros)}, {shortTime(spent.at)}
            </span>
            <TaskButton task={task} label="Resend" work={resend(spent)} />
          </li>
        ))}
      </ul>
      <TaskStatus task={task} doing="Resending the payment." />
      {answer !== undefined && <Json label="Answer" text={answer} />}
    </div>
  );
}
