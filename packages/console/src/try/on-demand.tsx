import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { dollars, roughDollars } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import { plain } from '../parts/text.ts';
import { useCall } from '../parts/use-call.ts';
import { Trouble } from '../parts/waiting.tsx';
import type { Session } from '../session.ts';
import { below, type Members, members, profile, rows, type TokensCall, tickers } from './calls.ts';
import { keyOf, type ReportCall, useReportedCall } from './last-call-panel.tsx';

interface OnDemandProps {
  readonly session: Session;
  readonly title: string;
  readonly call: TokensCall;
  readonly report: ReportCall;
  readonly show: (result: unknown) => VNode;
}

/** A section that loads when it is opened. */
function OnDemand({ session, title, call, report, show }: OnDemandProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [state, retry] = useCall(session, isOpen ? { key: keyOf(call), ask: call.ask } : undefined);
  useReportedCall(report, call, state);
  return (
    <details class="on-demand" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {title} <span class="muted small">takes one call</span>
      </summary>
      <Trouble state={state} retry={retry} />
      {state.is === 'waiting' && <p class="muted">Loading …</p>}
      {state.is === 'done' && show(state.full.result)}
    </details>
  );
}

const MAX_ROWS = 50;

function showTickers(result: unknown): VNode {
  return (
    <Table<Members>
      caption="Exchanges that trade it"
      rows={rows(below(result, 'tickers', 'rows'), MAX_ROWS)}
      empty="No known exchange trades it."
      columns={[
        { title: 'Exchange', cell: ({ market }) => <bdi>{plain(below(market, 'name'), 40)}</bdi> },
        { title: 'Pair', cell: ({ base, target }) => <bdi>{`${plain(base, 16)}/${plain(target, 16)}`}</bdi> },
        { title: 'Price', isNumber: true, cell: ({ priceUsd }) => dollars(priceUsd) },
        { title: 'Volume 24 h', isNumber: true, cell: ({ volume24hUsd }) => roughDollars(volume24hUsd) },
      ]}
    />
  );
}

const isSafe = (url: unknown): url is string =>
  typeof url === 'string' && url.startsWith('https://') && URL.canParse(url);

function showProfile(result: unknown): VNode {
  const block = below(result, 'profile');
  const data = members(below(block, 'data'));
  const { description, links, allTimeHigh, allTimeHighDate } = data;
  if (below(block, 'ok') !== true) return <p class="muted">{plain(below(block, 'message')) || 'Unknown.'}</p>;
  return (
    <>
      <p>{plain(description, 2000)}</p>
      <p>
        All-time high: {dollars(allTimeHigh)} <span class="muted">{plain(allTimeHighDate, 64).slice(0, 10)}</span>
      </p>
      <ul class="links">
        {Object.entries(members(links))
          .filter(([, url]) => isSafe(url))
          .map(([name, url]) => (
            <li key={name}>
              <a href={String(url)} rel="noreferrer noopener" target="_blank">
                {plain(name, 24)} <span class="muted small">{plain(new URL(String(url)).host, 60)}</span>
              </a>
            </li>
          ))}
      </ul>
    </>
  );
}

interface MoreProps extends Pick<OnDemandProps, 'session' | 'report'> {
  readonly assetId: string;
}

/** The sections of an asset that take a call of their own. */
export function More({ assetId, ...rest }: MoreProps) {
  return (
    <section>
      <h2>More</h2>
      <OnDemand {...rest} title="Exchanges" call={tickers(assetId)} show={showTickers} />
      <OnDemand {...rest} title="About" call={profile(assetId)} show={showProfile} />
    </section>
  );
}
