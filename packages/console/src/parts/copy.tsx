import { useEffect, useState } from 'preact/hooks';

interface CopyProps {
  readonly text: string;
  /** What is copied, for whoever hears the button: `the curl command`. */
  readonly what: string;
}

const SHOWN_MS = 4000;

/** Puts a text on the clipboard and says so. */
export function Copy({ text, what }: CopyProps) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('The browser did not allow it; select the text instead'),
    );
  return (
    <span class="copy">
      <span role="status" class="small muted">
        {said}
      </span>
      <button type="button" class="quiet" aria-label={`Copy ${what}`} onClick={copy}>
        Copy
      </button>
    </span>
  );
}
