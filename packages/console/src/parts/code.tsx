import { useEffect, useState } from 'preact/hooks';
import './parts.css';

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

interface CodeProps {
  /** The caption: `curl`. */
  readonly label: string;
  readonly text: string;
}

/** A block of code with a copy button. */
export function Code({ label, text }: CodeProps) {
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <Copy text={text} what={label} />
      </figcaption>
      <Preformatted>{text}</Preformatted>
    </figure>
  );
}

/** A sentence with code between backticks. */
export const WithCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** Preformatted text that scrolls, also by keyboard. */
export function Preformatted({ children }: { readonly children: string }) {
  return (
    <pre tabIndex={0} dir="ltr">
      <code>{children}</code>
    </pre>
  );
}

/** Preformatted text without a visible caption; screen readers read `label`. */
export function Labelled({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <figure class="labelled" aria-label={label}>
      <Preformatted>{children}</Preformatted>
    </figure>
  );
}
