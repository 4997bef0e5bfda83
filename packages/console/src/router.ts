import { attempt } from '@asset-gateway/protocol';
import { useShown } from './parts/hooks.ts';

/** A view, its arguments, and the text after the question mark, such as `#/routes/tokens.search?q=gold`. */
export type ViewPath = ReturnType<typeof viewPathOf>;

const decoded = (segment: string): string => attempt(() => decodeURIComponent(segment), segment);

/** Parses a fragment. */
export function viewPathOf(fragment: string) {
  const [path = '', ...query] = fragment.replace(/^#\/?/, '').split('?');
  const [view = '', ...rest] = path.split('/').map(decoded);
  return { view, rest, query: query.join('?') };
}

/** Returns the fragment of a place. */
export const hrefOf = (view: string, ...rest: readonly string[]): string =>
  `#/${[view, ...rest].map(encodeURIComponent).join('/')}`;

/** Returns the view path in the address bar. */
export function useViewPath(): ViewPath {
  return viewPathOf(useShown(window, 'hashchange', () => location.hash));
}
