import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Code } from './code.tsx';
import type { Sample } from './samples.ts';

/** A tab and its panel. */
export interface Tab {
  readonly title: string;
  readonly show: () => ComponentChildren;
}

function tabAfter(key: string, current: number, last: number): number | undefined {
  if (key === 'ArrowLeft') return current === 0 ? last : current - 1;
  if (key === 'ArrowRight') return current === last ? 0 : current + 1;
  return key === 'Home' ? 0 : key === 'End' ? last : undefined;
}

/** Tabs by the ARIA pattern: one tab stop, arrow keys, Home and End. `label` tells screen readers what they choose. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const id = useId();
  const [chosen, setChosen] = useState(0);
  // The number of tabs may shrink.
  const current = Math.min(chosen, tabs.length - 1);
  const move = (event: KeyboardEvent): void => {
    const next = tabAfter(event.key, current, tabs.length - 1);
    if (next === undefined) return;
    event.preventDefault();
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

/** Samples of one call, with a tab per client. */
export const SampleTabs = ({ samples }: { readonly samples: readonly Sample[] }) => (
  <Tabs
    label="Client"
    tabs={samples.map(({ title, text, language, note }) => ({
      title,
      show: () => (
        <>
          <Code label={title} text={text} language={language} />
          {note && <p class="small muted note">{note}</p>}
        </>
      ),
    }))}
  />
);

/** A link of a choice. */
type ChoiceLink = readonly [title: string, href: string, isCurrent: boolean];

/** Links of which one is current. Empty if there is only one. */
export const LinkChoice = ({ label, links }: { readonly label: string; readonly links: readonly ChoiceLink[] }) =>
  links.length < 2 ? null : (
    <nav class="segments" aria-label={label}>
      {links.map(([title, href, isCurrent]) => (
        <a key={title} href={href} aria-current={isCurrent ? 'true' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
