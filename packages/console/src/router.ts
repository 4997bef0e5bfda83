import { useLayoutEffect, useState } from 'preact/hooks';

/** Where a page is: its view and what follows it, such as `#/try/solana`. */
export interface Place {
  readonly view: string;
  readonly rest: readonly string[];
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Reads a fragment; what is no place is the first view. */
export function placeOf(fragment: string): Place {
  const [view = '', ...rest] = fragment.replace(/^#\/?/, '').split('/').map(decoded);
  return { view, rest };
}

/** The fragment of a place. */
export const hrefOf = (view: string, ...rest: readonly string[]): string =>
  `#/${[view, ...rest].map(encodeURIComponent).join('/')}`;

/** The place that the address line names, as it changes. */
export function usePlace(): Place {
  const [fragment, setFragment] = useState(location.hash);
  // Before the first picture is drawn: a link that is followed at once must not be missed.
  useLayoutEffect(() => {
    const follow = () => setFragment(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return placeOf(fragment);
}
