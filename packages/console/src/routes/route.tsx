import type { Issue } from '@asset-gateway/protocol';
import { useEffect, useState } from 'preact/hooks';
import { LinkChoice } from '../parts/tabs.tsx';
import { BudgetLeft } from '../parts/waiting.tsx';
import { hrefOf, viewPathOf } from '../router.ts';
import { answerTo, Outcome, type Sending } from './answer.tsx';
import { type CatalogRow, methodKeyOf, titleOf } from './catalog.ts';
import { Form } from './form.tsx';
import { Price, Verb } from './list.tsx';
import { PaysFrom } from './pays-from.tsx';
import { Example, Reference, useReference } from './response.tsx';
import { Samples } from './samples.tsx';
import { type FormRequest, useForm } from './use-form.ts';

/** Returns the answer so far, and a function that sends a request of the route's form. The function returns the issues of a refusal. */
function useSend(row: CatalogRow) {
  const [sending, setSending] = useState<Sending>({});
  const sendNow = async (request: FormRequest): Promise<readonly Issue[]> => {
    setSending({});
    const outcome: Sending = await answerTo(row, request).catch((error: unknown) => ({ error }));
    setSending(outcome);
    return outcome.answer?.refusal?.issues ?? [];
  };
  return [sending, sendNow] as const;
}

/** The text after the price. */
function costOf({ accessMode, paymentRequired, cluster, priceUsd, creditPriceUsd = priceUsd }: CatalogRow): string {
  const fromCredit = creditPriceUsd === priceUsd ? '' : `, or $${creditPriceUsd} from credit`;
  if (paymentRequired) return `a call${fromCredit}, paid in USDC on Solana ${cluster}. You pay only for an answer.`;
  return accessMode === 'siwx'
    ? 'Each request needs a signature, and a new answer uses one call of the shared budget.'
    : 'Public: no signature needed.';
}

interface RouteProps {
  readonly row: CatalogRow;
  readonly rows: readonly CatalogRow[];
  /** The query of a link with the form's texts. */
  readonly link: string;
}

/** A method's other rows: the same call on another cluster or from another provider. */
function Choices({ row, rows, link }: RouteProps) {
  const own = rows.filter((each) => methodKeyOf(each) === methodKeyOf(row));
  const on = (cluster: string | undefined): CatalogRow[] => own.filter((each) => each.cluster === cluster);
  const linkTo = (title: string, { id }: CatalogRow, isCurrent: boolean) =>
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

/** The text of a route's button. */
function labelOf({ paymentRequired, priceUsd, accessMode }: CatalogRow): string {
  if (paymentRequired) return `Send, pay $${priceUsd}`;
  return accessMode === 'siwx' ? 'Send, sign in' : 'Send';
}

/** A pause in typing, in milliseconds. Browsers limit how often a page may change its address. */
const LINK_MS = 250;

function useLink(id: string, link: string): void {
  useEffect(() => {
    const href = hrefOf('routes', id) + (link && `?${link}`);
    const timer = setTimeout(() => {
      // Another route may have been opened during the pause.
      if (viewPathOf(location.hash).rest[0] === id) history.replaceState(null, '', href);
    }, LINK_MS);
    return () => clearTimeout(timer);
  }, [id, link]);
}

/** A route: its purpose, its form, the same call in code, its answer or an example, and its possible errors. */
export function RouteForm({ row, rows, link }: RouteProps) {
  const [sending, send] = useSend(row);
  const state = useForm(row, link, send);
  const reference = useReference(row);
  useLink(row.id, state.link);
  const { answer, error } = sending;
  return (
    <div class="route">
      <div class="call">
        <h1>
          <code>{row.method}</code> <span class="sentence muted">{titleOf(row)}</span>
        </h1>
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
            Rule: {String(description)}
          </p>
        ))}
        <Form state={state} label={labelOf(row)}>
          {row.paymentRequired && <PaysFrom row={row} isOffered={error !== undefined} />}
        </Form>
      </div>
      <div class="beside">
        <Outcome sending={sending} />
        <Samples row={row} request={state.request} />
        {!answer && <Example row={row} reference={reference} />}
      </div>
      <Reference reference={reference} />
    </div>
  );
}
