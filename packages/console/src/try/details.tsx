import type { VNode } from 'preact';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import type { Session } from '../session.ts';
import { below, profile, type TokensCall, tickers } from './calls.ts';
import { About, Exchanges } from './external.tsx';
import type { ReportCall } from './last-call-panel.tsx';
import { Loaded } from './loaded.tsx';
import { Markets, Risk, Variants } from './sections.tsx';

interface DetailsProps {
  readonly session: Session;
  readonly report: ReportCall;
  readonly assetId: string;
  readonly result: unknown;
}

const LOADING = <p class="muted">Loading …</p>;

/** The tabs of what takes a call of its own. */
function externalTabs({ assetId, result, ...rest }: DetailsProps): Tab[] {
  const summary = below(result, 'asset', 'description');
  const load = (what: string, call: TokensCall, show: (answer: unknown) => VNode) => (
    <Loaded key={what} {...rest} what={what} call={call} placeholder={LOADING} show={show} />
  );
  return [
    {
      title: 'Exchanges',
      show: () => load('exchanges', tickers(assetId), (answer) => <Exchanges result={answer} />),
    },
    {
      title: 'About',
      show: () => load('the profile', profile(assetId), (answer) => <About result={answer} summary={summary} />),
    },
  ];
}

/** What else is known of an asset, in tabs. */
export function Details(props: DetailsProps) {
  const { result } = props;
  const groups = below(result, 'asset', 'variantGroups');
  const tabs: Tab[] = [
    { title: 'Markets', show: () => <Markets result={result} /> },
    { title: 'Risk', show: () => <Risk result={result} /> },
    { title: 'Variants', show: () => <Variants groups={groups} /> },
    ...externalTabs(props),
  ];
  return (
    <section class="details" aria-label="Details">
      <Tabs label="Details" tabs={tabs} />
    </section>
  );
}
