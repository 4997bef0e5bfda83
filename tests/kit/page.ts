import { readFileSync } from 'node:fs';

/** The blocks of code of a page that are in this language, in their order, as a reader copies them. */
export const blocksOf = (path: string, language: string): string[] =>
  readFileSync(path, 'utf8')
    .split(/^```/m)
    .filter((part, index) => index % 2 === 1 && part.startsWith(`${language}\n`))
    .map((part) => part.slice(language.length + 1));

/** All texts that one with alternatives such as `{mainnet,devnet}` stands for. */
export function alternatives(text: string): string[] {
  const [, before, names, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(text) ?? [];
  return names === undefined ? [text] : names.split(',').flatMap((name) => alternatives(`${before}${name}${after}`));
}
