import { Exchange, Headers } from '../parts/exchange.tsx';
import { Json } from '../parts/json.tsx';
import type { Step } from '../recorder.ts';

/** An answer and the exchange that led to it. */
export interface RouteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly steps: readonly Step[];
  /** The result in one sentence. */
  readonly sentence: string;
}

/** Headers of interest to a client. */
const HEADERS: Readonly<Record<string, string>> = {
  'payment-required': 'the challenge',
  'payment-response': 'the settled payment',
  ratelimit: 'the budget left',
  credit: 'the credit left',
  'cache-status': 'whether the answer came from the cache',
  age: 'its age in seconds',
  'retry-after': 'when to retry, in seconds',
  'idempotency-replayed': 'paid for by an earlier request',
  'x-request-id': 'the id in the log of the operator',
};

/** An answer: a sentence, its body, its headers and the exchange. */
export function Answer({ answer }: { readonly answer: RouteAnswer }) {
  const { status, headers, text, steps, sentence } = answer;
  const present = Object.entries(HEADERS).filter(([name]) => headers[name] !== undefined);
  return (
    <section aria-labelledby="answer">
      <h2 id="answer">
        Answer <span class="muted">{status}</span>
      </h2>
      <p role="status">{sentence}</p>
      <Json label="Body" text={text} />
      {present.map(([name, what]) => (
        <details key={name}>
          <summary>
            <code>{name}</code> <span class="muted small">{what}</span>
          </summary>
          <Headers of={{ [name]: headers[name] ?? '' }} />
        </details>
      ))}
      {steps.length > 0 && (
        <>
          <h2>Requests and answers</h2>
          <Exchange steps={steps} />
        </>
      )}
    </section>
  );
}
