import { below, changeFigure, type Members, priceFigure, UNKNOWN } from '@asset-gateway/protocol';
import type { ComponentChildren } from 'preact';
import { plain } from '../parts/text.ts';
import { hrefOf } from '../router.ts';

interface AssetRowProps {
  readonly row: Members;
  /** False in a list of options, where the whole row is pressed. */
  readonly isLink?: boolean;
  /** Shown in place of the category. */
  readonly children?: ComponentChildren;
}

/** An asset in a list: name, symbol, category or sparkline, price, and 24-hour change. */
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
      <span class="number">{priceFigure(below(stats, 'price'))}</span>
      <span class="number small">
        <Change value={below(stats, 'priceChange24hPercent')} />
      </span>
    </>
  );
}

const SHAPES = { up: 'M1 9 6 2 11 9z', down: 'M1 3 6 10 11 3z', unchanged: 'M2 5h8v2H2z' } as const;

const wordOf = (change: string): keyof typeof SHAPES =>
  change.startsWith('+') ? 'up' : change.startsWith('-') ? 'down' : 'unchanged';

/** A change in percent, with an arrow and a word besides the colour. */
export function Change({ value, since }: { readonly value: unknown; readonly since?: string }) {
  const text = changeFigure(value);
  if (text === UNKNOWN) return null;
  const word = wordOf(text);
  return (
    <span class={`change ${word}`}>
      <svg class="arrow" viewBox="0 0 12 12" aria-hidden="true">
        <path d={SHAPES[word]} />
      </svg>{' '}
      {text} <span class={since ? undefined : 'unseen'}>{word}</span>
      {since && <span class="muted"> {since}</span>}
    </span>
  );
}
