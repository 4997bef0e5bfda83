import { errorOf } from '@asset-gateway/client';
import { useState } from 'preact/hooks';
import { Json } from '../parts/json.tsx';
import type { Row } from '../routes/catalog.ts';
import type { BrowserWallet } from './browser-wallet.ts';
import { TaskStatus, useTask } from './task.tsx';

/** A first paid call: the balance of this browser's address, from a Solana RPC provider. */
export function PaidCall({ wallet, row }: { readonly wallet: BrowserWallet; readonly row: Row }) {
  const task = useTask();
  const [answer, setAnswer] = useState<string>();
  const call = async (): Promise<string> => {
    setAnswer(undefined);
    const response = await wallet.buy(row.path, { params: [wallet.address] }, Number(row.priceUsd));
    const text = await response.text();
    setAnswer(text);
    return response.ok ? 'The gateway answered.' : errorOf(response, text).message;
  };
  return (
    <section aria-labelledby="call">
      <h2 id="call">Try a payment</h2>
      <p>
        {row.description} It costs ${row.priceUsd}, settled on Solana after the gateway has the answer. All other routes
        are under <a href="#/routes">Routes</a>.
      </p>
      <p class="actions">
        <button type="button" class="first" disabled={task.isBusy} onClick={() => task.run(call)}>
          Send, pay ${row.priceUsd}
        </button>
      </p>
      <TaskStatus task={task} doing="Paying and waiting for the chain." />
      {answer !== undefined && <Json label="Answer" text={answer} />}
    </section>
  );
}
