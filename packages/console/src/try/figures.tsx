import { change } from '../parts/format.ts';

/** A change in percent, with an arrow and a word besides the colour. */
export function Change({ value, since }: { readonly value: unknown; readonly since?: string }) {
  const changed = change(value);
  if (!changed) return null;
  const { text, word } = changed;
  return (
    <span class={`change ${word}`}>
      <span aria-hidden="true">{{ up: '▲', down: '▼', unchanged: '•' }[word]} </span>
      {text} <span class={since ? undefined : 'unseen'}>{word}</span>
      {since && <span class="muted"> {since}</span>}
    </span>
  );
}
