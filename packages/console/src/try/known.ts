import type { Members } from './calls.ts';

const MOST_KNOWN = 500;
/** Suggestions shown at once. */
const MOST_SHOWN = 6;

const known = new Map<string, Members>();

const idOf = ({ assetId }: Members): string => (typeof assetId === 'string' ? assetId : '');

/** Keeps the assets of an answer, for suggestions. */
export function remember(assets: readonly Members[]): void {
  for (const asset of assets) {
    const id = idOf(asset);
    if (id === '') continue;
    known.delete(id);
    known.set(id, asset);
  }
  for (const id of [...known.keys()].slice(0, Math.max(0, known.size - MOST_KNOWN))) known.delete(id);
}

/** How well an asset matches: 0 for an exact symbol or id, 1 for a beginning, 2 for a word's beginning. */
function rank({ assetId, name, symbol }: Members, wanted: string): number | undefined {
  const texts = [assetId, symbol, name].map((text) =>
    typeof text === 'string' ? text.slice(0, 100).toLowerCase() : '',
  );
  if (texts.includes(wanted)) return 0;
  if (texts.some((text) => text.startsWith(wanted))) return 1;
  return texts.some((text) => text.includes(` ${wanted}`)) ? 2 : undefined;
}

/** Assets of earlier answers that match a text, best match first. Makes no call. */
export function suggestionsFor(text: string): readonly Members[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return [];
  return [...known.values()]
    .flatMap((asset) => {
      const found = rank(asset, wanted);
      return found === undefined ? [] : [{ asset, found }];
    })
    .sort((a, b) => a.found - b.found)
    .slice(0, MOST_SHOWN)
    .map(({ asset }) => asset);
}
