import { useEffect, useRef } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { LinkChoice } from '../parts/tabs.tsx';
import { BudgetLeft } from '../parts/waiting.tsx';
import { hrefOf } from '../router.ts';
import { Answer, type Sending, useSend } from './answer.tsx';
import { type Row, titleOf } from './catalog.ts';
import { Form } from './form.tsx';
import { Price, Verb } from './list.tsx';
import { Reference } from './response.tsx';
import { Samples } from './samples.tsx';
import { useForm } from './use-form.ts';

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
  const own = rows.filter(({ surface, method }) => surface === row.surface && method === row.method);
  const on = (cluster: string | undefined): Row[] => own.filter((each) => each.cluster === cluster);
  const linkTo = (title: string, { id }: Row, isCurrent: boolean) => {
    return { title, href: hrefOf('routes', id) + (link && `?${link}`), isCurrent };
  };
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
