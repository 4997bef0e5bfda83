import { useEffect, useState } from 'preact/hooks';

interface CopyProps {
  readonly text: string;
  /** For screen readers: `the curl command`. */
  readonly what: string;
}

const SHOWN_MS = 4000;

/** Copies a text to the clipboard and says so. */
export function Copy({ text, what }: CopyProps) {
  const [status, setStatus] = useState('');
  useEffect(() => {
    if (status === '') return undefined;
    const timer = setTimeout(() => setStatus(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [status]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setStatus('Copied'),
      () => setStatus('The browser refused; select the text instead'),
    );
  return (
    <span class="copy">
      <span role="status" class="small muted">
        {status}
      </span>
      <button type="button" class="quiet" aria-label={`Copy ${what}`} onClick={copy}>
        Copy
      </button>
    </span>
  );
}
