import { errorOf, type GatewayError } from '@asset-gateway/client';
import type { Issue } from '@asset-gateway/protocol';
import { useState } from 'preact/hooks';
import { WithCode } from '../parts/code.tsx';
import { Exchange, Headers } from '../parts/exchange.tsx';
import { NextStep } from '../parts/failure.tsx';
import { Json } from '../parts/json.tsx';
import type { Step } from '../recorder.ts';
import type { Session } from '../session.ts';
import type { Row } from './catalog.ts';
import type { FormRequest } from './use-form.ts';

/** Sends with a signature. Credit routes need the client that pays. */
async function requestSigned(session: Session, { surface }: Row, { path, body }: FormRequest): Promise<Response> {
  const client = (surface as string) === 'credit' ? await session.wallet.client() : session.client;
  return client.ask(path, body === undefined ? {} : { body });
}

const send = (session: Session, row: Row, request: FormRequest): Promise<Response> =>
  row.paymentRequired
    ? session.wallet.buy(request.path, request.body, Number(row.priceUsd))
    : requestSigned(session, row, request);

/** Sends and waits for the whole answer. */
async function answerTo(session: Session, row: Row, request: FormRequest) {
  const startedAt = performance.now();
  const response = await send(session, row, request);
  const text = await response.text();
  const ms = performance.now() - startedAt;
  const steps = session.recorder.stepsFor(new URL(request.path, location.origin).href);
  const refusal = response.ok ? undefined : errorOf(response, text);
  const headers = Object.fromEntries(response.headers);
  const answer: RouteAnswer = { row, status: response.status, headers, text, steps, ms, refusal };
  return { answer, issues: refusal?.issues ?? [] };
}

/** The last answer or error of a route, and the function that sends. */
export interface Sending {
  readonly answer: RouteAnswer | undefined;
  readonly error: unknown;
  /** Sends and returns the issues of a refusal. */
  send(request: FormRequest): Promise<readonly Issue[]>;
}

/** Sends the requests of a route's form. */
export function useSend(session: Session, row: Row): Sending {
  const [answer, setAnswer] = useState<RouteAnswer>();
  const [error, setError] = useState<unknown>();
  const sendNow = async (request: FormRequest): Promise<readonly Issue[]> => {
    setError(undefined);
    setAnswer(undefined);
    try {
      const sent = await answerTo(session, row, request);
      setAnswer(sent.answer);
      return sent.issues;
    } catch (failure) {
      setError(failure);
      return [];
    }
  };
  return { answer, error, send: sendNow };
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
