import { errorOf } from '@asset-gateway/client';
import type { Issue } from '@asset-gateway/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Json } from '../parts/code.tsx';
import { Exchange, Headers } from '../parts/exchange.tsx';
import { Failure, NextStep, WithCode } from '../parts/failure.tsx';
import { several } from '../parts/format.ts';
import { TermList } from '../parts/table.tsx';
import { LinkChoice } from '../parts/tabs.tsx';
import { BudgetLeft } from '../parts/waiting.tsx';
import { hrefOf, placeOf } from '../router.ts';
import { session } from '../session.ts';
import { keyOf, type Row, titleOf } from './catalog.ts';
import { Form } from './form.tsx';
import { Price, Verb } from './list.tsx';
import { Reference } from './response.tsx';
import { Samples } from './samples.tsx';
import { type FormRequest, useForm } from './use-form.ts';

/** Sends a request, paid or with a signature. Credit routes need the client that pays. */
async function send(row: Row, { path, body }: FormRequest): Promise<Response> {
  const { wallet, client } = session;
  if (row.paymentRequired) return wallet.buy(path, body, Number(row.priceUsd));
  const signing = (row.surface as string) === 'credit' ? await wallet.client() : client;
  return signing.ask(path, body === undefined ? {} : { body });
}

/** Sends and waits for the whole answer; `ms` counts from the button to its end. */
async function answerTo(row: Row, request: FormRequest) {
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
interface Sending {
  readonly answer?: RouteAnswer;
  readonly error?: unknown;
}

/** Returns it, and a function that sends a request of the route's form and returns the issues of a refusal. */
function useSend(row: Row) {
  const [sending, setSending] = useState<Sending>({});
  const sendNow = async (request: FormRequest): Promise<readonly Issue[]> => {
    setSending({});
    const outcome: Sending = await answerTo(row, request).catch((error: unknown) => ({ error }));
    setSending(outcome);
    return outcome.answer?.refusal?.issues ?? [];
  };
  return [sending, sendNow] as const;
}

/** An answer and the exchange that led to it. */
type RouteAnswer = Awaited<ReturnType<typeof answerTo>>['answer'];

const CHARGED = /charged=([0-9]{1,12})/;

/** What the call cost; undefined if the headers do not tell. */
function chargeOf({ row, status, headers }: RouteAnswer): string | undefined {
  const isOk = status < 400;
  if (headers['idempotency-replayed']) return 'paid for by an earlier request';
  const [, micros] = CHARGED.exec(headers.credit ?? '') ?? [];
  if (micros !== undefined) return `$${(Number(micros) / 1e6).toFixed(6)} of credit`;
  if (row.paymentRequired) return isOk && headers['payment-response'] ? `$${row.priceUsd} in USDC` : undefined;
  if (row.accessMode !== 'siwx' || !isOk || (row.surface as string) === 'credit') return 'free';
  return headers['cache-status']?.includes('; hit') ? 'free, from the cache' : 'free, 1 call of the shared budget';
}

/** An answer: status, time, age and cost, its body, and, folded, its headers and the exchange. */
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
            Step by step: {several(steps.length, 'request')}
            {isSigned && ', signed with the key of this browser'}
          </summary>
          <Exchange steps={steps} />
        </details>
      )}
    </section>
  );
}

/** What follows the price. */
function costOf({ accessMode, paymentRequired, cluster }: Row): string {
  if (paymentRequired) return `a call, paid in USDC on Solana ${cluster}. You pay only for an answer.`;
  return accessMode === 'siwx'
    ? 'Each request needs a signature, and a new answer uses one call of the shared budget.'
    : 'Public: no signature needed.';
}

interface RouteProps {
  readonly row: Row;
  readonly rows: readonly Row[];
  /** The query of a link with the texts of the form. */
  readonly link: string;
}

/** The other rows of a method: the same call on another cluster or from another provider. */
function Choices({ row, rows, link }: RouteProps) {
  const own = rows.filter((each) => keyOf(each) === keyOf(row));
  const on = (cluster: string | undefined): Row[] => own.filter((each) => each.cluster === cluster);
  const linkTo = (title: string, { id }: Row, isCurrent: boolean) =>
    [title, hrefOf('routes', id) + (link && `?${link}`), isCurrent] as const;
  const clusters = new Set(own.flatMap(({ cluster }) => cluster ?? []));
  const clusterLinks = [...clusters].map((cluster) => {
    const there = on(cluster);
    const nearest = there.find(({ provider }) => provider === row.provider) ?? there[0] ?? row;
    return linkTo(cluster, nearest, cluster === row.cluster);
  });
  const providerLinks = on(row.cluster).map((each) => linkTo(each.provider, each, each === row));
  return (
    <div class="row choices">
      <LinkChoice label="Cluster" links={clusterLinks} />
      <LinkChoice label="Provider" links={providerLinks} />
    </div>
  );
}

/** What the button of a route does. */
function labelOf({ paymentRequired, priceUsd, accessMode }: Row): string {
  if (paymentRequired) return `Send, pay $${priceUsd}`;
  return accessMode === 'siwx' ? 'Send, sign in' : 'Send';
}

/** Waits for a pause in typing, because browsers limit how often a page may change its address. */
const LINK_MS = 250;

function useLink(id: string, link: string): void {
  useEffect(() => {
    const href = hrefOf('routes', id) + (link && `?${link}`);
    const timer = setTimeout(() => {
      // Another route may have been opened during the pause.
      if (placeOf(location.hash).rest[0] === id) history.replaceState(null, '', href);
    }, LINK_MS);
    return () => clearTimeout(timer);
  }, [id, link]);
}

/** The answer, or why there is none. */
function Outcome({ sending: { answer, error }, row }: { readonly sending: Sending; readonly row: Row }) {
  const outcome = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answer || error !== undefined) outcome.current?.scrollIntoView({ block: 'nearest' });
  }, [answer, error]);
  return (
    <div ref={outcome} class="outcome">
      {error !== undefined && <Failure error={error} />}
      {error !== undefined && row.paymentRequired && (
        <p>
          Add money or change the spending limits under <a href={hrefOf('wallet')}>Wallet</a>.
        </p>
      )}
      {answer && <Answer answer={answer} />}
    </div>
  );
}

/** A route: what it is for, its form, its answer, the same call in code, and what it can return. */
export function RouteForm({ row, rows, link }: RouteProps) {
  const [sending, send] = useSend(row);
  const state = useForm(row, link, send);
  useLink(row.id, state.link);
  return (
    <div class="route">
      <div class="call">
        <h1>{titleOf(row)}</h1>
        <p class="path">
          <Verb row={row} /> <code>{row.path}</code>
        </p>
        <Choices row={row} rows={rows} link={state.link} />
        <p class="cost">
          <Price rows={[row]} /> <span>{costOf(row)}</span>
        </p>
        {row.accessMode === 'siwx' && <BudgetLeft />}
        {row.rules?.map(({ description }) => (
          <p key={String(description)} class="small muted">
            {String(description)}
          </p>
        ))}
        <Form state={state} label={labelOf(row)} />
      </div>
      <div class="beside">
        <Outcome sending={sending} row={row} />
        <Samples row={row} request={state.request} />
      </div>
      <Reference row={row} />
    </div>
  );
}
