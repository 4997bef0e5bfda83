import { useState } from 'preact/hooks';
import { useEvent } from './parts/hooks.ts';
import { attempt } from './parts/text.ts';

/** A view and its arguments: `#/routes/tokens.search?q=gold`. */
export interface Place {
  readonly view: string;
  readonly rest: readonly string[];
  /** The text after the question mark. */
  readonly query: string;
}

const decoded = (segment: string): string => attempt(() => decodeURIComponent(segment), segment);

/** Parses a fragment. */
export function placeOf(fragment: string): Place {
  const [path = '', ...query] = fragment.replace(/^#\/?/, '').split('?');
  const [view = '', ...rest] = path.split('/').map(decoded);
  return { view, rest, query: query.join('?') };
}

/** The fragment of a place. */
export const hrefOf = (view: string, ...rest: readonly string[]): string =>
  `#/${[view, ...rest].map(encodeURIComponent).join('/')}`;

/** The place in the address bar. */
export function usePlace(): Place {
  const [fragment, setFragment] = useState(location.hash);
  useEvent(window, 'hashchange', () => setFragment(location.hash));
  return placeOf(fragment);
}
