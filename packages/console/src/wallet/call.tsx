import { errorOf } from '@asset-gateway/client';
import { useState } from 'preact/hooks';
import { Json } from '../parts/json.tsx';
import type { Row } from '../routes/catalog.ts';
import type { Purse } from './purse.ts';
import { Told } from './told.tsx';
import { useTask } from './use-task.ts';

/** A first call that costs money: what the address of this browser holds, as a provider of Solana's RPC says it. */
export function PaidCall({ purse, row }: { readonly purse: Purse; readonly row: Row }) {
  const task = useTask();
  const [answer, setAnswer] = useState<string>();
  const ask = async (): Promise<string> => {
    setAnswer(undefined);
    const response = await purse.buy(row.path, { params: [purse.address] }, Number(row.priceUsd));
    const text = await response.text();
    setAnswer(text);
    return response.ok ? 'Here is the answer.' : errorOf(response, text).message;
  };
  return (
    <section aria-labelledby="call">
      <h2 id="call">A call that costs</h2>
      <p>
        {row.description} It costs ${row.priceUsd}, which are moved on Solana once the answer is there; every other
        route is under <a href="#/routes">Routes</a>.
      </p>
      <p class="sendings">
        <button type="button" class="first" disabled={task.isBusy} onClick={() => task.run(ask)}>
          Pay ${row.priceUsd} and ask
        </button>
      </p>
      <Told task={task} doing="Paying, and waiting for the chain." />
      {answer !== undefined && <Json label="Body" text={answer} />}
    </section>
  );
}
