import type { GatewayError } from '@asset-gateway/client';
import { WithCode } from '../parts/code.tsx';
import { Exchange, Headers } from '../parts/exchange.tsx';
import { NextStep } from '../parts/failure.tsx';
import { Json } from '../parts/json.tsx';
import type { Step } from '../recorder.ts';
import type { Row } from './catalog.ts';

/** An answer and the exchange that led to it. */
export interface RouteAnswer {
  readonly row: Row;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly steps: readonly Step[];
  /** Milliseconds from the button to the whole answer. */
  readonly ms: number;
  readonly refusal: GatewayError | undefined;
}

const CHARGED = /charged=([0-9]{1,12})/;

/** What the call cost; undefined if the headers do not tell. */
function costOf({ row, status, headers }: RouteAnswer): string | undefined {
  const isOk = status < 400;
  if (headers['idempotency-replayed']) return 'paid for by an earlier request';
  const [, micros] = CHARGED.exec(headers.credit ?? '') ?? [];
  if (micros !== undefined) return `$${(Number(micros) / 1e6).toFixed(6)} of credit`;
  if (row.paymentRequired) return isOk && headers['payment-response'] ? `$${row.priceUsd} in USDC` : undefined;
  if (row.accessMode !== 'siwx' || !isOk || (row.surface as string) === 'credit') return 'free';
  return headers['cache-status']?.includes('; hit') ? 'free, from the cache' : 'free, 1 call of the shared budget';
}

const ageOf = ({ headers }: RouteAnswer): string => {
  const seconds = Number(headers.age ?? 0);
  return seconds > 0 ? `${seconds} s old` : 'new';
};

/** Status, time, age and cost of an answer. */
function Facts({ answer }: { readonly answer: RouteAnswer }) {
  const facts = [
    ['Time', `${Math.round(answer.ms)} ms`],
    ['Age', answer.status < 400 ? ageOf(answer) : undefined],
    ['Cost', costOf(answer)],
  ].filter(([, value]) => value !== undefined);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const signatures = (steps: readonly Step[]): string =>
  steps.some(({ signedText }) => signedText !== undefined) ? ', signed with the key of this browser' : '';

/** An answer: status, time, age and cost, its body, and, folded, its headers and the exchange. */
export function Answer({ answer }: { readonly answer: RouteAnswer }) {
  const { row, status, headers, text, steps, refusal } = answer;
  const look = status < 400 ? 'free' : 'refused';
  return (
    <section aria-labelledby="answer" class="answer panel">
      <h2 id="answer">
        Answer <span class={`badge ${look}`}>{status}</span>
      </h2>
      <p role="status" class={refusal ? undefined : 'unseen'}>
        <WithCode text={refusal?.message ?? 'The gateway answered.'} />
      </p>
      {refusal && <NextStep error={refusal} />}
      <Facts answer={answer} />
      <Json label="Body" text={text} fileName={`${row.method}.json`} />
      <details>
        <summary>Response headers ({Object.keys(headers).length})</summary>
        <Headers of={headers} />
      </details>
      {steps.length > 0 && (
        <details>
          <summary>
            Step by step: {steps.length} {steps.length === 1 ? 'request' : 'requests'}
            {signatures(steps)}
          </summary>
          <Exchange steps={steps} />
        </details>
      )}
    </section>
  );
}
