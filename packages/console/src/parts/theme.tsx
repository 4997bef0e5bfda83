import { attempt } from '@asset-gateway/protocol';
import { useState } from 'preact/hooks';

const CHOICES = ['system', 'light', 'dark'] as const;
type Choice = (typeof CHOICES)[number];

const NAME = 'asset-gateway.theme';
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

/** Its event `change` follows each change of the page's colours. */
export const theme = new EventTarget();

const changed = (): void => void theme.dispatchEvent(new Event('change'));
system.addEventListener('change', changed);

const stored = (): Choice => {
  const name = attempt(() => localStorage.getItem(NAME), null);
  return CHOICES.find((each) => each === name) ?? 'system';
};

function apply(choice: Choice): void {
  if (choice === 'system') delete root.dataset.theme;
  else root.dataset.theme = choice;
  changed();
}

apply(stored());

/** By choice: the paths of a screen, a sun and a moon. */
const ICONS: Readonly<Record<Choice, string>> = {
  system: 'M2.5 3.5h11v7h-11zM6 13.5h4M8 10.5v3',
  light:
    'M8 5a3 3 0 1 1 0 6a3 3 0 1 1 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9L13 13M13 3l-1.1 1.1M4.1 11.9L3 13',
  dark: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z',
};

/** A button that switches the colours between the system's, light and dark. The browser remembers the choice. */
export function ThemeSwitch() {
  const [choice, setChoice] = useState(stored);
  const next = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length] ?? 'system';
  const change = (): void => {
    attempt(() => localStorage.setItem(NAME, next), undefined);
    setChoice(next);
    apply(next);
  };
  const label = `Colours: ${choice}. Change to ${next}`;
  return (
    <button type="button" class="quiet icon" aria-label={label} title={label} onClick={change}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={ICONS[choice]} />
      </svg>
    </button>
  );
}
