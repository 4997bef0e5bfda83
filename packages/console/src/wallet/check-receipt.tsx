import { useState } from 'preact/hooks';
import { plain } from '../parts/text.ts';
import { loadReceiptKeys, type Receipt, readReceipt } from './receipt.ts';
import { TaskStatus, useTask } from './task.tsx';

const MAX_TEXT = 500;

const Claims = ({ claims }: { readonly claims: Receipt }) => (
  <dl class="headers">
    {[
      ['Paid for', claims.resourceUrl],
      ['Payer', claims.payer],
      ['Time', new Date(claims.issuedAt * 1000).toLocaleString('en-GB')],
      ['Transaction', claims.transaction ?? 'None: paid from credit'],
    ].map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{plain(value, MAX_TEXT)}</dd>
      </div>
    ))}
  </dl>
);

interface ReceiptFormProps {
  readonly isBusy: boolean;
  readonly submit: (receipt: string) => void;
}

function ReceiptForm({ isBusy, submit }: ReceiptFormProps) {
  const [text, setText] = useState('');
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    submit(text);
  };
  return (
    <form onSubmit={onSubmit}>
      <label for="receipt">Receipt to verify</label>
      <textarea
        id="receipt"
        rows={3}
        spellcheck={false}
        placeholder="Paste a receipt (three parts with dots between them)"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p class="actions">
        <button type="submit" disabled={isBusy || text.trim() === ''}>
          Verify receipt
        </button>
      </p>
    </form>
  );
}

/** Verifies a pasted receipt. */
export function CheckReceipt() {
  const task = useTask();
  const [claims, setClaims] = useState<Receipt>();
  const verify = async (receipt: string): Promise<string> => {
    setClaims(undefined);
    const keys = await loadReceiptKeys();
    const read = await readReceipt(receipt, keys).catch((error: Error) => {
      throw new Error(`The receipt is invalid: ${error.message}.`);
    });
    setClaims(read);
    return 'The receipt is valid: this gateway signed it.';
  };
  return (
    <section aria-labelledby="receipts">
      <h2 id="receipts">Receipts</h2>
      <p class="small muted">
        A receipt is the gateway’s signed proof of a payment. Those in the table above are verified automatically.
      </p>
      <ReceiptForm isBusy={task.isBusy} submit={(receipt) => task.run(() => verify(receipt))} />
      <TaskStatus task={task} doing="Loading the gateway’s key." />
      {claims && <Claims claims={claims} />}
    </section>
  );
}
