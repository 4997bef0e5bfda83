import { Copy } from './copy.tsx';
import './parts.css';

interface CodeProps {
  /** What it is, above the block: `curl`. */
  readonly label: string;
  readonly text: string;
}

/** A block of code that is copied with one click. */
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

/** Preformatted text that scrolls on its own, by keyboard too. */
export function Preformatted({ children }: { readonly children: string }) {
  return (
    <pre tabIndex={0} dir="ltr">
      <code>{children}</code>
    </pre>
  );
}

/** The same where no caption is seen; `label` is for whoever hears it. */
export function Labelled({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <figure class="labelled" aria-label={label}>
      <Preformatted>{children}</Preformatted>
    </figure>
  );
}
