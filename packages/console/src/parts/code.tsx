import './code.css';
import { indentJson, withEscapes } from '@asset-gateway/protocol';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button, Copy } from './button.tsx';
import { bytes } from './format.ts';
import type { Language } from './highlight.tsx';
import { once, useReloadable } from './hooks.ts';

const loadColours = once(() => import('./highlight.tsx'));

/** The longest text with colours, because colours take an element per word. */
const MAX_COLOURED = 25_000;

interface TextProps {
  readonly text: string;
  readonly language?: Language | undefined;
}

/** A text in the colours of its language, once the colours have loaded. */
function Coloured({ text, language }: Required<TextProps>) {
  const { value: colours } = useReloadable(loadColours, []);
  const words = useMemo(() => colours && language && colours.coloured(text, language), [colours, text, language]);
  return <>{words ?? text}</>;
}

/** Preformatted text that scrolls, by keyboard too. Long code lines wrap. */
const Preformatted = ({ text, language }: TextProps) => (
  <pre tabIndex={0} dir="ltr" class={language && `wrapped ${language}`}>
    <code>{language && text.length <= MAX_COLOURED ? <Coloured text={text} language={language} /> : text}</code>
  </pre>
);

/** Preformatted text without a visible caption. Screen readers read `label`. */
export const Labelled = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <figure class="labelled" aria-label={label}>
    <Preformatted text={text} />
  </figure>
);

interface CodeProps {
  /** The caption, such as `curl`. */
  readonly label: string;
  readonly text: string;
  readonly language?: Language | undefined;
  /** The visible part of the text; default: all. */
  readonly shown?: string;
  readonly size?: string;
  /** What stands beside the copy button. */
  readonly action?: ComponentChildren;
  /** What stands below the text. */
  readonly children?: ComponentChildren;
}

/** A block of code with a copy button. */
export const Code = ({ label, text, language, shown = text, size, action, children }: CodeProps) => (
  <figure class="code">
    <figcaption class="row">
      <span>
        {label} <span class="muted small">{size}</span>
      </span>
      <span class="copy">
        {action}
        <Copy text={text} what={label} />
      </span>
    </figcaption>
    <Preformatted text={shown} language={language} />
    {children}
  </figure>
);

const FIRST = 20_000;
const STEP = 100_000;
/** The most text of an answer. More makes the page slow. */
const MOST = 520_000;

/**
 * A received answer as indented JSON. It is not parsed, so numbers keep every digit. A long answer is shown in part and can be saved as a
 * file.
 */
export function Json({ label, text, fileName = 'answer.json' }: { label: string; text: string; fileName?: string }) {
  const [limit, setLimit] = useState(FIRST);
  useEffect(() => setLimit(FIRST), [text]);
  const shown = useMemo(() => indentJson(text, limit, withEscapes), [text, limit]);
  const [file, setFile] = useState({ url: '', size: 0 });
  useEffect(() => {
    const blob = new Blob([text], { type: 'application/json' });
    const url = URL.createObjectURL(blob);
    setFile({ url, size: blob.size });
    return () => URL.revokeObjectURL(url);
  }, [text]);
  const save = (
    <a class="small" href={file.url} download={fileName}>
      Save
    </a>
  );
  return (
    <Code label={label} text={text} language="json" shown={shown.text} size={bytes(file.size)} action={save}>
      {!shown.isWhole && (
        <p class="small muted">
          Only the beginning is shown.{' '}
          {limit < MOST ? (
            <Button class="quiet" label="Show more" onClick={() => setLimit(limit + STEP)} />
          ) : (
            'Save the file to read the rest.'
          )}
        </p>
      )}
    </Code>
  );
}
