import { errorOf, type GatewayError } from '@asset-gateway/client';
import type { Issue } from '@asset-gateway/protocol';
import { useState } from 'preact/hooks';
import { Json } from '../parts/code.tsx';
import { Exchange, Headers } from '../parts/exchange.tsx';
import { NextStep, WithCode } from '../parts/failure.tsx';
import { TermList } from '../parts/table.tsx';
import type { Step } from '../recorder.ts';
import { type Session, useSession } from '../session.ts';
import type { Row } from './catalog.ts';
import type { FormRequest } from './use-form.ts';

/** Sends a request, paid or with a signature. Credit routes need the client that pays. */
async function send({ wallet, client }: Session, row: Row, { path, body }: FormRequest): Promise<Response> {
  if (row.paymentRequired) return wallet.buy(path, body, Number(row.priceUsd));
  const signing = (row.surface as string) === 'credit' ? await wallet.client() : client;
  return signing.ask(path, body === undefined ? {} : { body });
}

/** Sends and waits for the whole answer. */
async function answerTo(session: Session, row: Row, request: FormRequest): Promise<RouteAnswer> {
  const startedAt = performance.now();
  const response = await send(session, row, request);
  const text = await response.text();
  const ms = performance.now() - startedAt;
  const steps = session.recorder.stepsFor(new URL(request.path, location.origin).href);
  const refusal = response.ok ? undefined : errorOf(response, text);
  const headers = Object.fromEntries(response.headers);
  return { row, status: response.status, headers, text, steps, ms, refusal };
}

/** The last answer or error of a route. */
export interface Sending {
  readonly answer?: RouteAnswer;
  readonly error?: unknown;
}

/** Returns it, and a function that sends a request of the route's form and returns the issues of a refusal. */
export function useSend(row: Row) {
  const session = useSession();
  const [sending, setSending] = useState<Sending>({});
  const sendNow = async (request: FormRequest): Promise<readonly Issue[]> => {
    setSending({});
    try {
      const answer = await answerTo(session, row, request);
      setSending({ answer });
      return answer.refusal?.issues ?? [];
    } catch (error) {
      setSending({ error });
      return [];
    }
  };
  return [sending, sendNow] as const;
}

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

const signatures = (steps: readonly Step[]): string =>
  steps.some(({ signedText }) => signedText !== undefined) ? ', signed with the key of this browser' : '';

/** An answer: status, time, age and cost, its body, and, folded, its headers and the exchange. */
export function Answer({ answer }: { readonly answer: RouteAnswer }) {
  const { row, status, headers, text, steps, ms, refusal } = answer;
  const cost = costOf(answer);
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
      <TermList
        class="row facts tabular"
        of={[
          ['Time', `${Math.round(ms)} ms`],
          ...(status < 400 ? [['Age', ageOf(answer)] as const] : []),
          ...(cost === undefined ? [] : [['Cost', cost] as const]),
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
            Step by step: {steps.length} {steps.length === 1 ? 'request' : 'requests'}
            {signatures(steps)}
          </summary>
          <Exchange steps={steps} />
        </details>
      )}
    </section>
  );
}
