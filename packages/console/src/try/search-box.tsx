import { type Members, textAt } from '@asset-gateway/protocol';
import { useId, useState } from 'preact/hooks';
import { hrefOf } from '../router.ts';
import { AssetRow } from './figures.tsx';

const MOST_KNOWN = 500;
/** Suggestions shown at once. */
const MOST_SHOWN = 6;

const known = new Map<string, Members>();

const idOf = (asset: Members): string => textAt(asset, 'assetId');

/** Remembers an answer's assets, for suggestions. */
export function remember(assets: readonly Members[]): void {
  for (const asset of assets) {
    const id = idOf(asset);
    if (id === '') continue;
    known.delete(id);
    known.set(id, asset);
  }
  for (const id of [...known.keys()].slice(0, Math.max(0, known.size - MOST_KNOWN))) known.delete(id);
}

const NO_MATCH = 3;

/** How well an asset matches: 0 for an exact symbol or id, 1 for a beginning, 2 for a word's beginning. */
function rankOf(asset: Members, wanted: string): number {
  const texts = ['assetId', 'symbol', 'name'].map((name) => textAt(asset, name).slice(0, 100).toLowerCase());
  if (texts.includes(wanted)) return 0;
  if (texts.some((text) => text.startsWith(wanted))) return 1;
  return texts.some((text) => text.includes(` ${wanted}`)) ? 2 : NO_MATCH;
}

/** Assets of earlier answers that match a text, best match first. Makes no call. */
export function suggestionsFor(text: string): readonly Members[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return [];
  return [...known.values()]
    .map((asset) => ({ asset, rank: rankOf(asset, wanted) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST_SHOWN)
    .map(({ asset }) => asset);
}

interface SearchBoxProps {
  readonly text: string;
  readonly hint: string;
  readonly suggestions: readonly Members[];
  /** Whether the typed text has its results. If so, suggestions wait for an arrow key. */
  readonly isAnswered: boolean;
  readonly onText: (text: string) => void;
  readonly onEnter: () => void;
  /** Called with whether the arrow keys have chosen an option. Results do not replace it. */
  readonly onChoosing: (isChoosing: boolean) => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

const open = (asset: Members): void => {
  location.hash = hrefOf('try', idOf(asset));
};

const Options = ({ id, suggestions, chosen }: { id: string; suggestions: readonly Members[]; chosen: number }) => (
  <div role="listbox" class="results options tabular" id={id} aria-label="Suggestions">
    {suggestions.map((asset, at) => (
      // The field keeps the focus.
      <button
        key={at}
        type="button"
        role="option"
        tabIndex={-1}
        id={`${id}-${at}`}
        aria-selected={at === chosen}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => open(asset)}
      >
        <AssetRow row={asset} isLink={false} />
      </button>
    ))}
  </div>
);

/** The visible options, the chosen one, and the keys that choose. */
function useOptions({ suggestions, isAnswered, onChoosing }: SearchBoxProps) {
  const [chosen, setChosen] = useState(-1);
  const [isClosed, setIsClosed] = useState(false);
  const shown = isClosed || (isAnswered && chosen < 0) ? [] : suggestions;
  const choose = (at: number): void => {
    setChosen(at);
    onChoosing(at >= 0);
  };
  const press = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (suggestions.length === 0 || (step === undefined && event.key !== 'Escape')) return;
    event.preventDefault();
    setIsClosed(step === undefined);
    // The field itself is the place before the first option.
    const places = suggestions.length + 1;
    choose(step === undefined ? -1 : ((chosen + 1 + step + places) % places) - 1);
  };
  const reset = (): void => {
    setIsClosed(false);
    choose(-1);
  };
  return { shown, chosen, option: shown[chosen], press, reset };
}

const FIELD = {
  id: 'query',
  type: 'text',
  'aria-label': 'Search assets',
  'aria-autocomplete': 'list',
  maxLength: 200,
  placeholder: 'Search assets: name, symbol or mint address',
  enterkeyhint: 'search',
  autocomplete: 'off',
  autocapitalize: 'off',
  spellcheck: false,
  'aria-keyshortcuts': '/ Control+K',
} as const;

const SlashKey = () => (
  <span class="key" aria-hidden="true">
    /
  </span>
);

const Glass = () => (
  <svg viewBox="0 0 18 18" aria-hidden="true">
    <path d="M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11zM12 12l4 4" />
  </svg>
);

/** The search field: a combobox of assets from earlier answers, so that options take no call. */
export function SearchBox(props: SearchBoxProps) {
  const { text, hint, onText, onEnter } = props;
  const id = useId();
  const { shown, chosen, option, press, reset } = useOptions(props);
  const isExpanded = shown.length > 0;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (option) open(option);
    else onEnter();
  };
  const input = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
    reset();
    onText(currentTarget.value);
  };
  return (
    <search>
      <form onSubmit={submit}>
        <div class="seek">
          <Glass />
          <input
            {...FIELD}
            role="combobox"
            aria-expanded={isExpanded}
            aria-controls={isExpanded ? id : undefined}
            aria-activedescendant={option ? `${id}-${chosen}` : undefined}
            value={text}
            onKeyDown={press}
            onInput={input}
          />
          <SlashKey />
        </div>
      </form>
      <p class="small muted hint" role="status">
        {hint}
      </p>
      {isExpanded && <Options id={id} suggestions={shown} chosen={chosen} />}
    </search>
  );
}
