import { errorOf } from '@asset-gateway/client';
import { positionalParameters, type Route } from '@asset-gateway/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Code } from '../parts/code.tsx';
import { Failure } from '../parts/failure.tsx';
import { pythonSample } from '../parts/python-sample.ts';
import { type SampledCall, samplesOf } from '../parts/samples.ts';
import { Tabs } from '../parts/tabs.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { About } from './about.tsx';
import { Answer, type RouteAnswer } from './answer.tsx';
import type { Row } from './catalog.ts';
import { Form } from './form.tsx';
import { Reference } from './response.tsx';
import { type FormRequest, useForm } from './use-form.ts';

interface RouteProps {
  readonly session: Session;
  readonly row: Row;
  readonly rows: readonly Row[];
  /** The query of the link that led here. */
  readonly link: string;
}

/** Sends with a signature. Credit routes need the client that pays. */
async function requestSigned(session: Session, { surface }: Row, { path, body }: FormRequest): Promise<Response> {
  const client = (surface as string) === 'credit' ? await session.wallet.client() : session.client;
  return client.ask(path, body === undefined ? {} : { body });
}

const send = (session: Session, row: Row, request: FormRequest): Promise<Response> =>
  row.paymentRequired
    ? session.wallet.buy(request.path, request.body, Number(row.priceUsd))
    : requestSigned(session, row, request);

/** What the button of a route does. */
function labelOf({ paymentRequired, priceUsd, accessMode }: Row): string {
  if (paymentRequired) return `Send, pay $${priceUsd}`;
  return accessMode === 'siwx' ? 'Send, sign in' : 'Send';
}

const CREDIT_METHODS: Readonly<Record<string, string>> = { getCredit: 'balance', buyCredit: 'buy' };

/** The arguments of the client's method for a request. */
function argumentsOf({ inputSchema }: Row, { inPath, input }: FormRequest): Pick<SampledCall, 'values' | 'named'> {
  const params = input.params ?? input;
  if (Array.isArray(params)) {
    const names = positionalParameters({ input: { body: inputSchema } } as unknown as Route) ?? [];
    return { values: params, named: Object.fromEntries(params.map((value, at) => [names[at]?.name ?? at, value])) };
  }
  const hasInput = Object.keys(params as object).length > 0;
  return {
    values: [...Object.values(inPath), ...(hasInput ? [params] : [])],
    named: { ...inPath, ...(params as object) },
  };
}

function callOf(row: Row, request: FormRequest): SampledCall {
  const { surface, method, accessMode, priceUsd = '0', cluster, provider } = row;
  const { credit } = row as { readonly credit?: string };
  return {
    ...argumentsOf(row, request),
    family: surface,
    method: CREDIT_METHODS[method] ?? method,
    url: location.origin + request.path,
    body: request.body,
    access: accessMode,
    priceUsd,
    cluster,
    provider,
    credit,
  };
}

function Samples({ call }: { readonly call: SampledCall }) {
  const [curl, typeScript, ...others] = samplesOf(call);
  const samples = [curl, typeScript, pythonSample(call), ...others].filter((sample) => sample !== undefined);
  return (
    <section aria-labelledby="samples" class="samples">
      <h2 id="samples">The same call in code</h2>
      <Tabs
        label="Client"
        tabs={samples.map(({ title, text, note }) => ({
          title,
          show: () => (
            <>
              <Code label={title} text={text} />
              {note && <p class="small muted">{note}</p>}
            </>
          ),
        }))}
      />
    </section>
  );
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

/** A route: what it is for, its form, its answer, the same call in code, and what it can return. */
export function RouteForm({ session, row, rows, link }: RouteProps) {
  const [answer, setAnswer] = useState<RouteAnswer>();
  const [error, setError] = useState<unknown>();
  const outcome = useRef<HTMLDivElement>(null);
  const state = useForm(row, link);
  useLink(row.id, state.link);
  useEffect(() => {
    if (answer || error !== undefined) outcome.current?.scrollIntoView({ block: 'nearest' });
  }, [answer, error]);

  const action = {
    label: labelOf(row),
    send: async (request: FormRequest) => {
      setError(undefined);
      setAnswer(undefined);
      const startedAt = performance.now();
      try {
        const response = await send(session, row, request);
        const text = await response.text();
        const steps = session.recorder.stepsFor(new URL(request.path, location.origin).href);
        const refusal = response.ok ? undefined : errorOf(response, text);
        const { status, headers } = response;
        const ms = performance.now() - startedAt;
        setAnswer({ row, status, headers: Object.fromEntries(headers), text, steps, ms, message: refusal?.message });
        return refusal?.issues ?? [];
      } catch (failure) {
        setError(failure);
        return [];
      }
    },
  };

  return (
    <div class="route">
      <div class="call">
        <About session={session} row={row} rows={rows} link={state.link} />
        <Form state={state} action={action} />
      </div>
      <div class="beside">
        <div ref={outcome} class="outcome">
          {error !== undefined && <Failure error={error} />}
          {error !== undefined && row.paymentRequired && (
            <p>
              Add money or change the spending limits under <a href={hrefOf('wallet')}>Wallet</a>.
            </p>
          )}
          {answer && <Answer answer={answer} />}
        </div>
        <Samples call={callOf(row, state.request)} />
      </div>
      <Reference session={session} row={row} />
    </div>
  );
}
