import { useEffect, useRef } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { About } from './about.tsx';
import { Answer } from './answer.tsx';
import type { Row } from './catalog.ts';
import { Form } from './form.tsx';
import { Reference } from './response.tsx';
import { Samples } from './samples.tsx';
import { useForm } from './use-form.ts';
import { type Sending, useSend } from './use-send.ts';

interface RouteProps {
  readonly session: Session;
  readonly row: Row;
  readonly rows: readonly Row[];
  /** The query of the link that led here. */
  readonly link: string;
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
    const timer = setTimeout(() => location.hash === href || history.replaceState(null, '', href), LINK_MS);
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
export function RouteForm({ session, row, rows, link }: RouteProps) {
  const state = useForm(row, link);
  const sending = useSend(session, row);
  useLink(row.id, state.link);
  return (
    <div class="route">
      <div class="call">
        <About session={session} row={row} rows={rows} link={state.link} />
        <Form state={state} action={{ label: labelOf(row), send: sending.send }} />
      </div>
      <div class="beside">
        <Outcome sending={sending} row={row} />
        <Samples row={row} request={state.request} />
      </div>
      <Reference session={session} row={row} />
    </div>
  );
}
