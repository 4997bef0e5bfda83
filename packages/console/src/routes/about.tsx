import { BudgetLeft } from '../parts/waiting.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { type Row, titleOf } from './catalog.ts';
import { Price, Verb } from './list.tsx';

/** What follows the price. */
function costOf({ accessMode, paymentRequired, cluster }: Row): string {
  if (paymentRequired) return `a call, paid in USDC on Solana ${cluster}. You pay only for an answer.`;
  return accessMode === 'siwx'
    ? 'Each request needs a signature, and a new answer uses one call of the shared budget.'
    : 'Public: no signature needed.';
}

interface ChoiceProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly current: string | undefined;
  readonly hrefFor: (value: string) => string;
}

const Choice = ({ label, values, current, hrefFor }: ChoiceProps) => (
  <nav class="segments" aria-label={label}>
    {values.map((value) => (
      <a key={value} href={hrefFor(value)} aria-current={value === current ? 'true' : undefined}>
        {value}
      </a>
    ))}
  </nav>
);

interface AboutProps {
  readonly session: Session;
  readonly row: Row;
  readonly rows: readonly Row[];
  /** The query of links that keep the texts of the form. */
  readonly link: string;
}

/** The other rows of a method: the same call on another cluster or from another provider. */
function Choices({ row, rows, link }: Omit<AboutProps, 'session'>) {
  const own = rows.filter(({ surface, method }) => surface === row.surface && method === row.method);
  const hrefTo = (to: Row | undefined): string => hrefOf('routes', (to ?? row).id) + (link && `?${link}`);
  const clusters = [...new Set(own.flatMap(({ cluster }) => cluster ?? []))];
  const onCluster = own.filter(({ cluster }) => cluster === row.cluster);
  const providers = onCluster.map(({ provider }) => provider);
  return (
    <>
      {clusters.length > 1 && (
        <Choice
          label="Cluster"
          values={clusters}
          current={row.cluster}
          hrefFor={(cluster) => {
            const there = own.filter((each) => each.cluster === cluster);
            return hrefTo(there.find(({ provider }) => provider === row.provider) ?? there[0]);
          }}
        />
      )}
      {providers.length > 1 && (
        <Choice
          label="Provider"
          values={providers}
          current={row.provider}
          hrefFor={(provider) => hrefTo(onCluster.find((each) => each.provider === provider))}
        />
      )}
    </>
  );
}

/** What a route is for, its path, and what a call costs. */
export const About = ({ session, row, rows, link }: AboutProps) => (
  <>
    <h1>{titleOf(row)}</h1>
    <p class="path">
      <Verb row={row} /> <code>{row.path}</code>
    </p>
    <div class="choices">
      <Choices row={row} rows={rows} link={link} />
    </div>
    <p class="cost">
      <Price rows={[row]} /> <span>{costOf(row)}</span>
    </p>
    {row.accessMode === 'siwx' && <BudgetLeft recorder={session.recorder} />}
    {row.rules?.map(({ description }) => (
      <p key={String(description)} class="small muted">
        {String(description)}
      </p>
    ))}
  </>
);
