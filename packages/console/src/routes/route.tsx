import { errorOf } from '@asset-gateway/client';
import { useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { Answer, type RouteAnswer } from './answer.tsx';
import type { Row } from './catalog.ts';
import { Form } from './form.tsx';
import type { FormAction, FormRequest } from './use-form.ts';

interface RouteProps {
  readonly session: Session;
  readonly row: Row;
}

/** Sends without a signature or a payment, to get the challenge. */
const requestPrice = ({ recorder }: Session, { path, body }: FormRequest): Promise<Response> =>
  recorder.fetch(new URL(path, location.origin), {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });

/** Sends with a signature. Credit routes need the client that pays. */
async function requestSigned(session: Session, { surface }: Row, { path, body }: FormRequest): Promise<Response> {
  const client = (surface as string) === 'credit' ? await session.wallet.client() : session.client;
  return client.ask(path, body === undefined ? {} : { body });
}

function costOf({ accessMode, priceUsd, paymentRequired }: Row): string {
  if (paymentRequired) return `$${priceUsd} per call, in USDC.`;
  return accessMode === 'siwx' ? 'Free with a signature. Takes one call of the shared budget.' : 'Free.';
}

type Send = (request: FormRequest) => Promise<Response>;

/** The buttons of a row. Enter presses the first one, which costs nothing. */
function buttonsOf(session: Session, row: Row): readonly { label: string; send: Send }[] {
  if (!row.paymentRequired) return [{ label: 'Send', send: (request) => requestSigned(session, row, request) }];
  return [
    { label: 'Get the price', send: (request) => requestPrice(session, request) },
    {
      label: `Send and pay $${row.priceUsd}`,
      send: ({ path, body }) => session.wallet.buy(path, body, Number(row.priceUsd)),
    },
  ];
}

const About = ({ row }: { readonly row: Row }) => (
  <>
    <p>
      <a href={hrefOf('routes')}>All routes</a>
    </p>
    <h1>{row.description}</h1>
    <p class="line">
      {row.httpMethod} {row.path}
    </p>
    <p>
      {costOf(row)}{' '}
      {row.paymentRequired && (
        <span class="muted">The gateway checks the parameters after the payment is verified.</span>
      )}
    </p>
    {row.rules?.map(({ description }) => (
      <p key={String(description)} class="small muted">
        {String(description)}
      </p>
    ))}
  </>
);

/** A route: its description, its price, its form and the answer. */
export function RouteForm({ session, row }: RouteProps) {
  const [answer, setAnswer] = useState<RouteAnswer>();
  const [error, setError] = useState<unknown>();

  const sendBy = (send: Send) => async (request: FormRequest) => {
    setError(undefined);
    setAnswer(undefined);
    try {
      const response = await send(request);
      const text = await response.text();
      const steps = session.recorder.stepsFor(new URL(request.path, location.origin).href);
      const refusal = response.ok ? undefined : errorOf(response, text);
      const sentence = refusal?.message ?? 'The gateway answered.';
      setAnswer({ status: response.status, headers: Object.fromEntries(response.headers), text, steps, sentence });
      return refusal?.issues ?? [];
    } catch (failure) {
      setError(failure);
      return [];
    }
  };
  const actions: FormAction[] = buttonsOf(session, row).map(({ label, send }) => ({ label, send: sendBy(send) }));

  return (
    <>
      <About row={row} />
      <Form row={row} actions={actions} />
      {error !== undefined && <Failure error={error} />}
      {answer && <Answer answer={answer} />}
    </>
  );
}
