import { useEffect, useMemo, useState } from 'preact/hooks';
import { Copy, Preformatted } from './code.tsx';
import { bytes } from './format.ts';
import { indentJson } from './text.ts';
import './parts.css';

interface JsonProps {
  /** The caption: `Answer`. */
  readonly label: string;
  /** The body as received: it is indented, not parsed, so numbers keep every digit. */
  readonly text: string;
  readonly fileName?: string;
}

const FIRST = 20_000;
const STEP = 100_000;
/** More text makes the page slow. */
const MOST = 520_000;

function useBlobUrl(text: string): { readonly url: string; readonly size: number } {
  const [made, setMade] = useState({ url: '', size: 0 });
  useEffect(() => {
    const blob = new Blob([text], { type: 'application/json' });
    const url = URL.createObjectURL(blob);
    setMade({ url, size: blob.size });
    return () => URL.revokeObjectURL(url);
  }, [text]);
  return made;
}

/** An answer as indented JSON. A long one is shown in part and can be saved as a file. */
export function Json({ label, text, fileName = 'answer.json' }: JsonProps) {
  const [limit, setLimit] = useState(FIRST);
  useEffect(() => setLimit(FIRST), [text]);
  const shown = useMemo(() => indentJson(text, limit), [text, limit]);
  const { url, size } = useBlobUrl(text);
  return (
    <figure class="code">
      <figcaption>
        <span>
          {label} <span class="muted small">{bytes(size)}</span>
        </span>
        <span class="copy">
          <a class="small" href={url} download={fileName}>
            Save
          </a>
          <Copy text={text} what={label} />
        </span>
      </figcaption>
      <Preformatted>{shown.text}</Preformatted>
      {!shown.isWhole && (
        <p class="small muted">
          Only the beginning is shown.{' '}
          {limit < MOST ? (
            <button type="button" class="quiet" onClick={() => setLimit(limit + STEP)}>
              Show more
            </button>
          ) : (
            'Save the file to read the rest.'
          )}
        </p>
      )}
    </figure>
  );
}
