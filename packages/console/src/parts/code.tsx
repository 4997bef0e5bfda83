import { Copy } from './copy.tsx';
import './parts.css';

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
