import { Exchange, Headers } from '../parts/exchange.tsx';
import { Json } from '../parts/json.tsx';
import type { Step } from '../recorder.ts';

/** An answer as it came, and what was said for it. */
export interface Came {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly steps: readonly Step[];
  /** What it comes to, in a sentence. */
  readonly sentence: string;
}

/** What the headers say that a caller looks for, each in a word. */
const TOLD: Readonly<Record<string, string>> = {
  'payment-required': 'what the gateway asks for',
  'payment-response': 'what became of the payment',
  ratelimit: 'what is left of the budget',
  credit: 'what the wallet has paid ahead',
  'cache-status': 'where the answer was kept',
  age: 'how old it is, in seconds',
  'retry-after': 'when to ask again, in seconds',
  'idempotency-replayed': 'it was paid for before',
  'x-request-id': 'what the operator finds it by',
};

/** An answer: in a sentence, as JSON, and header by header. */
export function Answer({ came }: { readonly came: Came }) {
  const { status, headers, text, steps, sentence } = came;
  const told = Object.entries(TOLD).filter(([name]) => headers[name] !== undefined);
  return (
    <section aria-labelledby="answer">
      <h2 id="answer">
        Answer <span class="muted">{status}</span>
      </h2>
      <p role="status">{sentence}</p>
      <Json label="Body" text={text} />
      {told.map(([name, what]) => (
        <details key={name}>
          <summary>
            <code>{name}</code> <span class="muted small">{what}</span>
          </summary>
          <Headers of={{ [name]: headers[name] ?? '' }} />
        </details>
      ))}
      {steps.length > 0 && (
        <>
          <h2>What was said</h2>
          <Exchange steps={steps} />
        </>
      )}
    </section>
  );
}
