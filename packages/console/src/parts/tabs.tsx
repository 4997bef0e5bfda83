import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import './parts.css';

/** A tab and its panel. */
export interface Tab {
  readonly title: string;
  readonly show: () => ComponentChildren;
}

interface TabsProps {
  /** For screen readers: what the tabs choose from. */
  readonly label: string;
  readonly tabs: readonly Tab[];
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs by the ARIA pattern: one tab stop, arrow keys, Home and End. */
export function Tabs({ label, tabs }: TabsProps) {
  const id = useId();
  const [chosen, setChosen] = useState(0);
  // The tabs may become fewer.
  const current = Math.min(chosen, tabs.length - 1);
  const move = (event: KeyboardEvent): void => {
    const { key } = event;
    const step = STEPS[key];
    if (step === undefined && key !== 'Home' && key !== 'End') return;
    event.preventDefault();
    const last = tabs.length - 1;
    const next = step === undefined ? (key === 'Home' ? 0 : last) : (current + step + tabs.length) % tabs.length;
    setChosen(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  return (
    <>
      <div role="tablist" class="tabs" aria-label={label} onKeyDown={move}>
        {tabs.map(({ title }, at) => (
          <button
            key={title}
            type="button"
            role="tab"
            id={`${id}-tab-${at}`}
            aria-controls={`${id}-panel`}
            aria-selected={at === current}
            tabIndex={at === current ? 0 : -1}
            onClick={() => setChosen(at)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${current}`}>
        {tabs[current]?.show()}
      </div>
    </>
  );
}

/** A link of a choice. */
interface ChoiceLink {
  readonly title: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** Links of which one is chosen. */
export const LinkChoice = ({ label, links }: { readonly label: string; readonly links: readonly ChoiceLink[] }) => (
  <nav class="segments" aria-label={label}>
    {links.map(({ title, href, isCurrent }) => (
      <a key={title} href={href} aria-current={isCurrent ? 'true' : undefined}>
        {title}
      </a>
    ))}
  </nav>
);
