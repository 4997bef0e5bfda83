import { change } from '../parts/format.ts';

const SHAPES = { up: 'M1 9 6 2 11 9z', down: 'M1 3 6 10 11 3z', unchanged: 'M2 5h8v2H2z' } as const;

/** A change in percent, with an arrow and a word besides the colour. */
export function Change({ value, since }: { readonly value: unknown; readonly since?: string }) {
  const changed = change(value);
  if (!changed) return null;
  const { text, word } = changed;
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
