import type { ComponentChildren } from 'preact';
import { dollars } from '../parts/format.ts';
import { plain } from '../parts/text.ts';
import { hrefOf } from '../router.ts';
import { below, type Members } from './calls.ts';
import { Change } from './figures.tsx';

interface AssetRowProps {
  readonly row: Members;
  /** False in a list of options, where the whole row is pressed. */
  readonly isLink?: boolean;
  /** In place of the category. */
  readonly children?: ComponentChildren;
}

/** An asset in a list: name, symbol, category or sparkline, price, and change in 24 hours. */
export function AssetRow({ row, isLink = true, children }: AssetRowProps) {
  const { assetId, name, symbol, category, stats } = row;
  const title = plain(name) || plain(assetId) || 'unnamed';
  return (
    <>
      <span class="who">
        {isLink && typeof assetId === 'string' ? <a href={hrefOf('try', assetId)}>{title}</a> : title}{' '}
        <bdi class="muted">{plain(symbol, 16)}</bdi>
      </span>
      {children ?? <span class="muted small kind">{plain(category, 24)}</span>}
      <span class="number">{dollars(below(stats, 'price'))}</span>
      <span class="number small">
        <Change value={below(stats, 'priceChange24hPercent')} />
      </span>
    </>
  );
}
