const ALIGNMENT = /^text-align:(\w+)$/;
/** Characters of a cell that needs the width of a phone. */
const LONG_CELL = 40;

/** Aligns by class, because the pages' policy forbids style attributes. */
function alignByClass(token) {
  const alignment = ALIGNMENT.exec(token.attrGet('style') ?? '')?.[1];
  if (alignment) token.attrs = [['class', alignment]];
}

/** Adds to each cell the heading of its column, which a phone shows above the cell. */
function prepareTable(tokens) {
  const [opening] = tokens;
  const headings = tokens.flatMap(({ type }, at) => (type === 'th_open' ? [tokens[at + 1].content] : []));
  let column = 0;
  tokens.forEach((token, at) => {
    const { type } = token;
    if (type === 'tr_open') column = 0;
    if (type !== 'th_open' && type !== 'td_open') return;
    alignByClass(token);
    const heading = headings[column];
    column += 1;
    const { content } = tokens[at + 1];
    if (type === 'td_open' && heading) token.attrPush(['data-heading', heading]);
    if (content.length > LONG_CELL) opening.meta = { isLong: true };
    // Screen readers would announce an empty heading.
    if (type === 'th_open' && content === '') for (const each of [token, tokens[at + 2]]) each.tag = 'td';
  });
}

/** Prepares all tables of a page. */
export function prepareTables(tokens) {
  tokens.forEach(({ type }, at) => {
    if (type !== 'table_open') return;
    const end = tokens.findIndex((token, index) => index > at && token.type === 'table_close');
    prepareTable(tokens.slice(at, end));
  });
}
