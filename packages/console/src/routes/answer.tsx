import { errorOf, GatewayError } from '@asset-gateway/client';
import { MICROS_PER_USD } from '@asset-gateway/protocol';
import { useEffect, useRef } from 'preact/hooks';
import { Json } from '../parts/code.tsx';
import { Exchange, Headers } from '../parts/exchange.tsx';
import { NextStep, WithCode } from '../parts/failure.tsx';
import { plural } from '../parts/format.ts';
import { TermList } from '../parts/table.tsx';
import { hrefOf } from '../router.ts';
import { session } from '../session.ts';
import { PaymentFailure } from '../wallet/missing.tsx';
import type { CatalogRow } from './catalog.ts';
import type { FormRequest } from './use-form.ts';

/** Sends a request, paid or signed. Credit routes need the paying client. */
async function send(row: CatalogRow, { path, body }: FormRequest): Promise<Response> {
  const { wallet, client } = session;
  if (row.paymentRequired) return wallet.buy(path, body, Number(row.priceUsd));
  const signing = (row.surface as string) === 'credit' ? await wallet.client() : client;
  return signing.ask(path, body === undefined ? {} : { body });
}

/** Sends a request and waits for the whole answer. `ms`: milliseconds from the button to its end. */
export async function answerTo(row: CatalogRow, request: FormRequest) {
  const startedAt = performance.now();
  const response = await send(row, request);
  const text = await response.text();
  const ms = performance.now() - startedAt;
  const steps = session.recorder.stepsFor(new URL(request.path, location.origin).href);
  const refusal = response.ok ? undefined : errorOf(response, text);
  const headers: Readonly<Record<string, string>> = Object.fromEntries(response.headers);
  return { answer: { row, status: response.status, headers, text, steps, ms, refusal } };
}

/** The last answer or error of a route. */
export interface Sending {
  readonly answer?: RouteAnswer;
  readonly error?: unknown;
}

/** An answer, and the exchange that led to it. */
type RouteAnswer = Awaited<ReturnType<typeof answerTo>>['answer'];

const CHARGED = /charged=([0-9]{1,12})/;

/** The cost of a call; undefined if the headers do not name it. */
function chargeOf({ row, status, headers }: RouteAnswer): string | undefined {
  const isOk = status < 400;
  if (headers['idempotency-replayed']) return 'paid for by an earlier request';
  const [, micros] = CHARGED.exec(headers.credit ?? '') ?? [];
  if (micros !== undefined) return `$${(Number(micros) / MICROS_PER_USD).toFixed(6)} of credit`;
  if (row.paymentRequired) return isOk && headers['payment-response'] ? `$${row.priceUsd} in USDC` : undefined;
  if (row.accessMode !== 'siwx' || !isOk || (row.surface as string) === 'credit') return 'free';
  return headers['cache-status']?.includes('; hit') ? 'free, from the cache' : 'free, 1 call of the shared budget';
}

/** An answer: status, time, age, cost and body. Headers and exchange are folded. */
function Answer({ answer }: { readonly answer: RouteAnswer }) {
  const { row, status, headers, text, steps, ms, refusal } = answer;
  const cost = chargeOf(answer);
  const age = Number(headers.age ?? 0);
  const isSigned = steps.some(({ signedText }) => signedText !== undefined);
  const look = status < 400 ? 'up' : 'down';
  return (
    <section aria-labelledby="answer" class="answer panel">
      <h2 id="answer">
        Answer <span class={`badge ${look}`}>{status}</span>
      </h2>
      <p role="status" class={refusal ? undefined : 'unseen'}>
        <WithCode text={refusal?.message ?? 'The gateway answered.'} />
      </p>
      {refusal && <NextStep error={refusal} />}
      <TermList
        class="row facts tabular"
        of={[
          ['Time', `${Math.round(ms)} ms`],
          status < 400 && ['Age', age > 0 ? `${age} s old` : 'new'],
          cost !== undefined && ['Cost', cost],
        ]}
      />
      <Json label="Body" text={text} fileName={`${row.method}.json`} />
      <details>
        <summary>Response headers ({Object.keys(headers).length})</summary>
        <Headers of={headers} />
      </details>
      {steps.length > 0 && (
        <details>
          <summary>
            Step by step: {plural(steps.length, 'request')}
            {isSigned && ', signed with the key of this browser'}
          </summary>
          <Exchange steps={steps} />
        </details>
      )}
    </section>
  );
}

/** The answer, or why there is none. */
export function Outcome({ sending: { answer, error } }: { readonly sending: Sending }) {
  const outcome = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answer || error !== undefined) outcome.current?.scrollIntoView({ block: 'nearest' });
  }, [answer, error]);
  return (
    <div ref={outcome} class="outcome">
      {error !== undefined && <PaymentFailure error={error} />}
      {error instanceof GatewayError && error.code === 'spending_limit' && (
        <p>
          Change the spending limits under <a href={hrefOf('wallet')}>Wallet</a>.
        </p>
      )}
      {answer && <Answer answer={answer} />}
    </div>
  );
}
