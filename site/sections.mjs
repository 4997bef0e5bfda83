import { REFERENCE } from './navigation.mjs';

/** Pages of many entries, by the tag of the headings whose sections are folded. */
export const FOLDED = new Map([
  ['docs/routes.md', 'h3'],
  ['docs/errors.md', 'h3'],
  ['docs/cases.md', 'h2'],
  ['docs/proof.md', 'h2'],
  ['docs/console-pictures.md', 'h2'],
  ...REFERENCE.map((source) => [source, 'h3']),
]);

const htmlIn = (state) => (content) => Object.assign(new state.Token('html_block', '', 0), { content });

/** Puts the title, the lead, the links and the picture into one block, and what follows a heading of the third level into a card. */
export function layOutLanding(state) {
  const html = htmlIn(state);
  let open;
  const change = (next, opening) => {
    const closing = { hero: '</div>', cards: '</section></div>' }[open];
    const isNextCard = open === 'cards' && next === 'cards';
    open = next;
    return isNextCard ? [html('</section><section>')] : [closing, opening].filter(Boolean).map((each) => html(each));
  };
  state.tokens = state.tokens.flatMap((token) => {
    if (token.type !== 'heading_open') return [token];
    const before = {
      h1: () => change('hero', '<div class="hero">'),
      h2: () => change(undefined),
      h3: () => change('cards', '<div class="cards"><section>'),
    }[token.tag];
    return [...before(), token];
  });
  state.tokens.push(...change(undefined));
}

/**
 * Folds the sections of a page. The summary shows the heading and the first paragraph, unless that has a link. The id is inside the folded
 * part, because a browser opens the part that contains the target of a link.
 * @param tag of the headings whose sections are folded
 */
export function foldSections(state, tag) {
  const html = htmlIn(state);
  const folded = [];
  let isOpen = false;
  const close = () => {
    if (isOpen) folded.push(html('</div></details>\n'));
    isOpen = false;
  };
  for (let at = 0; at < state.tokens.length; at++) {
    const token = state.tokens[at];
    if (token.type === 'heading_open' && token.tag <= tag) close();
    if (token.type !== 'heading_open' || token.tag !== tag) {
      folded.push(token);
      continue;
    }
    const id = token.attrGet('id');
    token.attrs = null;
    const [next, text] = [state.tokens[at + 3], state.tokens[at + 4]];
    // Screen readers do not reach a link inside a summary.
    const hasLead = next.type === 'paragraph_open' && text.children.every(({ type }) => type !== 'link_open');
    const summary = state.tokens.slice(at, at + (hasLead ? 6 : 3));
    folded.push(html('<details class="entry"><summary>'), ...summary, html(`</summary><div id="${id}">`));
    at += summary.length - 1;
    isOpen = true;
  }
  close();
  state.tokens = folded;
}
