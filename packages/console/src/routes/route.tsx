import { errorOf } from '@asset-gateway/client';
import { useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { Answer, type Came } from './answer.tsx';
import type { Row } from './catalog.ts';
import { Form } from './form.tsx';
import type { FormRequest } from './request.ts';
import type { Sending } from './use-form.ts';

interface RouteProps {
  readonly session: Session;
  readonly row: Row;
}

/** Sends without a signature and without money: what a route asks for is shown and costs nothing. */
const askPrice = ({ recorder }: Session, { path, body }: FormRequest): Promise<Response> =>
  recorder.fetch(new URL(path, location.origin), {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });

/** What is free is asked by the free client; the credit of the key by the one that knows of credit. */
async function askSigned({ client, purse }: Session, { surface }: Row, { path, body }: FormRequest): Promise<Response> {
  const asking = (surface as string) === 'credit' ? await purse.client() : client;
  return asking.ask(path, body === undefined ? {} : { body });
}

function costOf({ accessMode, priceUsd, paymentRequired }: Row): string {
  if (paymentRequired) return `$${priceUsd} a call, in USDC.`;
  return accessMode === 'siwx' ? 'Free for a signature; it takes one call of the budget that all share.' : 'Free.';
}

type Ask = (request: FormRequest) => Promise<Response>;

/** The ways in which a row is asked. The first one is what Enter does, and costs nothing. */
function waysOf(session: Session, row: Row): readonly { label: string; ask: Ask }[] {
  if (!row.paymentRequired) return [{ label: 'Send', ask: (request) => askSigned(session, row, request) }];
  return [
    { label: 'Ask for the price', ask: (request) => askPrice(session, request) },
    {
      label: `Send and pay $${row.priceUsd}`,
      ask: ({ path, body }) => session.purse.buy(path, body, Number(row.priceUsd)),
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
        <span class="muted">The gateway asks for the payment first, and looks at what was sent when it has one.</span>
      )}
    </p>
    {row.rules?.map(({ description }) => (
      <p key={String(description)} class="small muted">
        {String(description)}
      </p>
    ))}
  </>
);

/** One row: what it answers and costs, its form, and what came back. */
export function RouteForm({ session, row }: RouteProps) {
  const [came, setCame] = useState<Came>();
  const [error, setError] = useState<unknown>();

  const sendBy = (ask: Ask) => async (request: FormRequest) => {
    setError(undefined);
    setCame(undefined);
    try {
      const response = await ask(request);
      const text = await response.text();
      const steps = session.recorder.stepsFor(new URL(request.path, location.origin).href);
      const refusal = response.ok ? undefined : errorOf(response, text);
      const sentence = refusal?.message ?? 'Here is the answer.';
      setCame({ status: response.status, headers: Object.fromEntries(response.headers), text, steps, sentence });
      return refusal?.issues ?? [];
    } catch (failure) {
      setError(failure);
      return [];
    }
  };
  const sendings: Sending[] = waysOf(session, row).map(({ label, ask }) => ({ label, send: sendBy(ask) }));

  return (
    <>
      <About row={row} />
      <Form row={row} sendings={sendings} />
      {error !== undefined && <Failure error={error} />}
      {came && <Answer came={came} />}
    </>
  );
}
